"""Cue words of change: how people say that something replaced another thing, is gone, or is new.

English, Norwegian, German and Japanese, with some French, Spanish, Dutch and Swedish. A cue
is general language; none names a subject.
"""

from __future__ import annotations

import re

from memory_core.routines.cues import cue

INSTEAD = (
    "instead of|rather than|in place of|replaces|supersedes|i stedet for|istedenfor|istedet for"
    "|erstatter|anstatt|statt|anstelle (?:von|des|der)|ersetzt(?! durch)|au lieu de|en vez de"
    "|in plaats van|istället för"
)
BECAME = (
    "(?:is |was |are |were |been |be )?replaced (?:by|with)|has become|became"
    "|(?:is|are) now (?:called|named|at|in|on)|was renamed(?: to)?|erstattet av|byttet ut med"
    "|heter nå|heißt jetzt|(?:wird|wurde|ist) .{0,20}?ersetzt durch"
)
ARROW = "->|→|=>|⇒"
CHANGING = (
    r"chang\w*|rais\w+|lower\w*|mov(?:e|es|ed|ing)\b|switch\w*|migrat\w+|upgrad\w+|increas\w+"
    r"|reduc\w+|renam\w+|bump\w*|shorten\w*|extend\w*|went|goes|set|cut|grew|adjust\w*|updat\w+"
    r"|endr\w+|øk\w+|flytt\w+|senk\w+|sett\w*|hev\w+|bytt\w+|oppgrader\w+|redus\w+|erhöh\w+"
    r"|gesenkt|senken|geänder\w+|ändern|umgestell\w+|umgezogen|verschoben|gewechselt|verläng\w+"
    r"|verkürz\w+|aktualisier\w+"
)
GONE = cue(
    r"no longer|not any ?more|\w*n't .{1,40}? any ?more|not .{1,40}? any ?more|is gone|are gone"
    r"|(?:is|are|was|were) (?:retired|abolished|discontinued|switched off|shut down)"
    r"|ha(?:s|ve) (?:left|quit|resigned|retired)|ikke lenger|ikke mer|har sluttet"
    r"|er (?:lagt ned|avviklet)|nicht mehr|nicht länger|abgeschafft|hat (?:gekündigt|aufgehört)"
    r"|ne .{1,30}? plus|ya no|niet meer|inte längre",
    "もう.{1,20}(?:ない|ません)|なくなりました|廃止|退職",
)
NOW = cue(
    "now|from now on|from here on|as of|since|effective|the new|new|moved to|changed to|raised to"
    "|lowered to|set to|nå|fra nå|heretter|ny(?:e|tt)?|siden|flyttet til|endret til|jetzt|ab jetzt"
    "|ab sofort|seit|neu(?:e|er|es|en)?|künftig|umgezogen nach",
    "になりました|に変わりました|に変更|新しい|今は|これから",
)
TEMPORARY = cue(
    r"(?:only|just) (?:for )?(?:today|tonight|now|this|once)"
    r"|(?:today|tonight|this (?:time|week|month|once)) only|for now|for the moment|temporar\w+"
    r"|tonight|until (?!further|\d)\w+|in (?:the )?(?:winter|summer|spring|autumn|holidays)"
    r"|om (?:vinteren|sommeren)|im (?:winter|sommer|urlaub)|i kveld|heute abend"
    r"|bare (?:i dag|nå|denne)|foreløpig|midlertidig|inntil"
    r"|nur (?:heute|dieses|diese|jetzt)|vorerst|vorübergehend|bis auf weiteres",
    "今夜|今日だけ|今回だけ|一時的|とりあえず",
)
PAST = cue(
    r"back in (?:\w+ )?\d{4}|back then|at the time|in those days|years ago"
    r"|last (?:night|time)(?:'s)?"
    r"|in \d{4} (?:we|i|they) (?:used|had|ran)|den gang(?:en)?|i natt|damals|letzte nacht",
    "当時|昔は|昨夜",
)
CONDITION = cue(
    "imagine|suppose|pretend|tenk om|angenommen|stell dir vor"
    "|if (?:we|you|they|one|it|i)|should (?:we|i)|shall (?:we|i)|could|hvis|dersom|falls"
    "|wenn (?:wir|man|ich)|sollten? (?:wir|ich)",
    "もし|たら|れば",
)
BACK = cue(
    "back to|stays? (?:at|as|on)|keep(?:s|ing)? (?:it )?(?:at|on)|remains?|tilbake (?:til|på)"
    "|blir på|fortsatt på|zurück (?:auf|zu)|bleibt? (?:bei|es bei)|beim alten",
    "に戻|のまま",
)
ASKS = re.compile(
    r"^(?:(?:ok|so|and|but|hi|hey|hei|hallo|og|und)[,:]? )*"
    r"(?:should|would|could|can|do|does|did|is|are|was|were|will|shall|may|what|why|how|who|when|where|which|skal|kan|bør|er|hva|hvorfor|hvordan|soll|kann"
    r"|ist|sind|was|warum|wie|wer|wann|wo)\b",
    re.IGNORECASE,
)
ANY = re.compile(
    rf"(?<![\w-])(?:{INSTEAD}|{BECAME}|not|n't|ikke|nicht|from|fra|von|vom)(?![\w-])|{ARROW}"
    rf"|ではな|じゃな|から|{GONE.pattern}|{NOW.pattern}",
    re.IGNORECASE,
)
"""Whatever a change could begin with; a cheap first look."""
