"""Concepts: the different words that standing instructions have for the same thing.

What people tell an agent for good is a small world: how to answer, what to ask for first,
what never to do. "Show it and wait for my yes" and "get my approval" share no word, and a
vector of two short lines says little, so the words are gathered by hand, in English,
Norwegian and German. `*` stands for any ending. `CONDUCT` are those that only a rule for
the agent speaks of; the others may stand in a plain fact as well.
"""

from __future__ import annotations

import re

from memory_core.text import fold

_CONDUCT = {
    "ask": """
        ask asked asking approv* permission go-ahead consent confirm* sign-off my_yes
        my_ok my_okay say_yes said_yes wait_for_me let_me_decide i_decide i_agree*
        allowed without_me ask_me until_i before_i check_with_me on_your_own unasked
        spør* spørre godkjen* tillat* bekreft* samtykke* sagt_ja sier_ja mitt_ja
        lov_av før_jeg avklar* frage fragen fragst erlaubnis* zustimm* genehmig* freigabe freigeb*
        bestätig* einverstanden mein_ja bevor_ich rückfrag* gefragt gebeten
    """,
    "destroy": """
        delet* remov* overwrit* replac* drop drops dropped erase* wipe* purg* discard*
        destroy* destructive irreversibl* for_good undone force-push* rm_-rf truncat*
        slett* fjern* overskriv* erstatt* tøm tømmes tømmer tømme kast kaste kastes
        kaster ugjenkallelig* for_godt lösch* entfern* überschreib* ersetz* vernicht*
        endgültig* unwiderruflich*
    """,
    "brief": """
        brief* short* concise* terse* succinct* few_words one_sentence two_sentences
        one_or_two_sentences sentence_or_two details_only keep_it_down no_more_than_*
        to_the_point length long_paragraph* rambl* verbos* wordy kort* knapp* konsis*
        lange_setninger få_ord kurz* bündig* wenige_worte ausschweif*
    """,
    "conclusion first": """
        answer_first conclusion* start_with_the lead_with bottom_line result_first
        up_front upfront tl;dr short_first konklusjon* svar_først svaret_først
        ergebnis_zuerst antwort_zuerst schlussfolgerung* fazit
    """,
    "courtesy": """
        prais* flatter* compliment* courtes* pleasantr* polite_phrase* thanks
        greeting* closing_summar* closing_phrase* recap* small_talk filler* ros skryt*
        smiger* høflighet* oppsummering_til_slutt floskl* lob schmeichel* höflichkeit*
        füllw* zusammenfassung_am
    """,
    "doubt": """
        guess* unsure not_sure uncertain* not_certain certain doubt* do_not_know
        don't_know honest* make_up making_something_up made_up speculat* assum* gjett*
        usikker* tvil* vet_ikke ikke_vet ærlig* dikt* antar antatt unsicher* zweifel*
        weiß_nicht nicht_weiß ehrlich* vermut* erfind*
    """,
    "source": """
        source* cite citation* reference* looked_up quote_where kilde* henvis* quelle*
        beleg* nachweis*
    """,
    "language": """
        language* english norwegian german french spanish bokmal bokmål nynorsk språk*
        engelsk* norsk* tysk* sprache* englisch* deutsch* norwegisch*
    """,
    "untrusted": """
        is_data are_data instructions_found injected untrusted not_instructions
        er_data instrukser_i sind_daten anweisungen_in
    """,
    "commit": "commit* innsjekk* einchecken",
    "push": "push* force-push* pusher gepusht",
    "test": "test tests tested testing pytest tester teste testen getestet",
    "lint": "lint* format_check ruff eslint",
    "style": "naming indent* type_hint* docstring* code_style comments kodestil einrückung",
}
_OTHER = {
    "answer": """
        answer* reply replies replied respon* talk_to_me svar* antwort*
    """,
    "disclose": """
        print* store stored log logs logged write_down written_down written_in paste*
        reveal* leak* disclos* expose* share* shared upload* enter* external_service*
        another_service third_part* outside_the_house search_engine* outside_service*
        skriv_ut lagre* lekk* del_med deles avslør* lim_inn eingeb* einfüg* weitergeb*
        hochlad* preisgeb* fremde_dienste*
    """,
    "options": """
        option* alternative* choice* suggestion* suggest recommend* proposal* forslag*
        valg* anbefal* vorschläge vorschlag* alternativen auswahl empfehl*
    """,
    "units": """
        metric imperial unit units gram grams kilo* celsius fahrenheit ounce* pounds
        inch* feet miles cups litre* liter* measures measurement* quantit* weights
        enhet* metrisk* mål_og_vekt einheit* maße metrisch*
    """,
    "time format": """
        24-hour iso_date* iso_dates am/pm date_format* time_format* clock datoer
        klokkeslett* datum* uhrzeit* datumsformat*
    """,
    "names": "first_name* surname* fornavn* etternavn* vorname* nachname*",
    "mail": "mail* e-mail* email* e-post* epost* e-mails",
    "deploy": "deploy* release* rollout* roll_out utrull* produksjonssett* ausroll* ausliefer*",
    "production": "production prod produksjon* produktion* live_system*",
    "secret": """
        password* passphrase* token* api_key* keys credential* secret* access_code*
        pin_code* passord* nøkler hemmelig* tilgangskode* passwor* passwört* schlüssel
        geheim* zugangsdaten
    """,
    "confidential": """
        confidential* private_text* not_public nda client_text* customer_text*
        fortrolig* taushet* konfidensiel* vertraulich* kundentext*
    """,
    "order": "order orders ordering purchas* buy buys bestill* kjøp* bestell* kauf* einkauf*",
    "meeting": "meeting* appointment* møte* avtale* besprechung* termin*",
    "change": "change* changing modif* edit edits edited alter endr* rediger* änder* bearbeit*",
    "money": "spend* cost costs pay pays invoice* betal* kost* bezahl* rechnung*",
}
_LIGHT = """
    keep keeps use uses used make makes made give gives given get gets take takes leave leaves left
    out start starts begin begins end ends tell tells say says said put puts let lets want wants
    need needs thing things anything something nothing everything matter way ways time times case
    good well place go goes come comes do does done be please plainly always never only just first
    before after when where what which that this these those while whenever also instead
    hold holder bruk bruker gi gir gjør ta tar la si sier noe ting alltid aldri bare først før etter
    når hva som den det slik må skal machen macht nimm nehmen gib geben sag sagen lass etwas immer
    nie niemals nur erst bevor nach wenn was dies diese soll sollen
"""
LIGHT = frozenset(map(fold, _LIGHT.split()))


def _pattern(words: str) -> re.Pattern[str]:
    parts = []
    for word in words.split():
        plain = re.escape(fold(word.replace("_", " ")))
        parts.append(plain.replace(r"\*", r"\w*").replace(r"\ ", r"\W+"))
    return re.compile(rf"(?<!\w)(?:{'|'.join(sorted(parts, key=len, reverse=True))})(?!\w)")


_PATTERNS = {name: _pattern(words) for name, words in (_CONDUCT | _OTHER).items()}
CONDUCT = frozenset(_CONDUCT)


def concepts(text: str) -> frozenset[str]:
    """The concepts that a text speaks of."""
    told = fold(text)
    return frozenset(name for name, pattern in _PATTERNS.items() if pattern.search(told))


def without_concepts(text: str, names: frozenset[str]) -> str:
    """The folded text without the words of these concepts."""
    told = fold(text)
    for name in names:
        told = _PATTERNS[name].sub(" ", told)
    return told
