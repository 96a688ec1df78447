"""Cue words: how people and agents mark a rule, a lesson, a guess, a passing thing.

English, Norwegian, German and Japanese in full, some of French, Spanish, Dutch, Swedish
and Chinese. A cue is general language; no cue names a subject.
"""

from __future__ import annotations

import re


def cue(latin: str, other: str = "") -> re.Pattern[str]:
    """Whole words of a script with spaces, or pieces of one without."""
    words = rf"(?<![\w-])(?:{'|'.join(latin.split('|'))})(?![\w-])"
    return re.compile(f"{words}|{other}" if other else words, re.IGNORECASE)


STANDING = cue(
    "always|never|from (?:now|here) on|in (?:the )?future|every (?:single )?time|each time"
    "|every session|as a rule|(?:is|as) (?:a|the|our|my) rule|whenever|by default"
    "|for (?:all|every)|in (?:all|every) \\w+|going forward|please (?:remember|note)"
    "|remember (?:that|to)|keep in mind|no longer|not any ?more|don't ever|do not ever"
    "|alltid|aldri|fra nå av|for fremtiden|heretter|hver gang|husk(?: at)?|ikke lenger|som regel"
    "|immer|nie|niemals|ab (?:jetzt|sofort)|künftig|in zukunft|jedes mal|merk dir|nicht mehr"
    "|grundsätzlich|stets|toujours|jamais|désormais|siempre|nunca|a partir de ahora"
    "|altijd|nooit|voortaan|aldrig|från och med nu",
    "必ず|いつも|常に|今後|これから(?:は)?|絶対|毎回|禁止|总是|永远|从现在起|必须|以后都|不要再",
)
EVERY_SESSION = cue(
    "(?:every|each|all|any) (?:of (?:my|our) )?(?:sessions?|conversations?|chats?)"
    "|not (?:only|just) (?:in )?this (?:one|session|time)|(?:every|any)where and always"
    "|always,? (?:and )?everywhere|in everything (?:you|we) do|no matter (?:the|which) project"
    "|(?:hver|alle) (?:økt|samtale|økter|samtaler)|uansett prosjekt"
    "|(?:jede[rnm]?|alle[n]?) (?:sitzung|sitzungen|gespräch|gesprächen)|(?:das )?gilt immer"
    "|immer und überall",
    "どの(?:セッション|会話)でも|すべての(?:セッション|会話)|每次(?:会话|对话)",
)
PREFERENCE = cue(
    "I (?:really )?(?:prefer|like|love|want(?! to (?:know|see))|hate|dislike|need|cannot stand"
    "|can't stand)"
    "|(?:I'd|I would) rather|please (?:do not|don't|always|never|use|write|give|keep|avoid)"
    "|only (?:use|write|give)|stop \\w+ing|no more \\w+|quit \\w+ing|avoid|leave \\w+ (?:alone"
    "|out|as (?:it is|they are))|(?:do not|don't) (?:use|write|give|do|send|touch|run|add)"
    "|jeg (?:liker|foretrekker|vil ha|hater)|ikke (?:bruk|skriv|gjør|send)|helst"
    "|ich (?:mag|bevorzuge|will|möchte|hasse)|lieber|bitte (?:nicht|immer|nie|kein\\w*)"
    "|je préfère|prefiero",
    "してください|しないで|でお願い|の方が(?:いい|好き)|が好き|が嫌い|请(?:不要|用|总)",
)
MUST = cue(
    "must(?:n't| not)?|ha(?:s|ve) to|needs?(?: to)?|needed|should(?:n't| not)?|may not|had better"
    "|må(?: ikke)?|skal|bør|trenger|muss|müssen|darf|dürfen|soll(?:te|ten)?|braucht|brauchen"
    "|doit|doivent|il faut|debe|deben|hay que|moet|moeten|måste",
    "必要|なければ|べき|必须|需要",
)
LIMIT = cue(
    "(?<!I )(?<!we )only|cannot|can't|can only|can not|at (?:most|least)|no more than|allows?"
    "|accepts?"
    "|requires?|required|rejects?|refuses?|expects?|supports?|not (?:safe|supported|possible"
    "|allowed)"
    "|is the (?:right|only|way)|it is the way|right (?:way|import|command)|nobody else|no one else"
    "|is not safe|all or nothing|kan (?:ikke|bare|kun)|bare|kun|krever|høyst|minst|støtter"
    "|nur|verlangt|erfordert|höchstens|mindestens|kann nicht|können nicht|erlaubt"
    "|solo|seulement|alleen|endast",
    "だけ|しか|できない|できません|まで|只能|不能|最多|至少",
)
EFFECT = re.compile(
    r"`[^`]+`(?: \w+)? (?!is\b|has\b|was\b|says\b)[a-z]{2,}s\b|\b(?:command|option|flag|script"
    r"|job|task|alert"
    r"|check|service|server|proxy|registry|function|rotation|setting|switch|mode|page|api|bot"
    r"|loader"
    r"|machine|printer|key|file) (?!is\b|has\b|was\b|says\b|needs\b)[a-z]{2,}s\b"
    r"|^(?:the|our|this|each|every) [\w-]+(?: [\w-]+)? (?!is\b|has\b|was\b|says\b"
    r"|needs\b)[a-z]{2,}[^su\W]s\b"
    r"|\bit \w+s (?:when|if|only|after|before|until)\b",
    re.IGNORECASE,
)
CONSEQUENCE = cue(
    "otherwise|or else|or the|without (?:it|that|them|a|an|the)|if not|unless|even (?:if|when)"
    "|instead of|by (?:itself|hand|themselves)|alone|independent(?:ly)? of|misleading|fails?"
    "|by default|all or nothing|blocks|is (?:lost|ignored|dropped|refused|rejected|skipped)"
    "|are (?:lost|ignored|dropped|skipped)"
    "|silently|without (?:any )?(?:error|warning)|has no effect|changes nothing|does nothing"
    "|ellers|med mindre|i stedet for|av seg selv|slår|virker (?:ikke|bare)"
    "|sonst|andernfalls|statt|anstatt|von selbst|es sei denn|schlägt fehl|ohne"
    "|sinon|si no|de lo contrario|anders|annars",
    "さもないと|ないと|場合|代わりに|勝手に|否则|不然",
)
CAUSE = cue(
    "because|since|as (?:the|it|they|its|both|our|each|one)|so(?: that)?|due to|therefore"
    "|that is why|the reason|which is why|fordi|siden|derfor|slik at|weil|da|deshalb|damit|daher"
    "|parce que|porque|omdat|eftersom",
    "ため|ので|から|理由|因为|所以",
)
GENERAL = cue(
    "whatever|any|every|each|all|both|anything|whichever|when(?:ever)?|before|after|during|at night"
    "|in the daytime|above|below|older than|newer than|more than|fewer than|less than|per"
    "|on machines|for (?:files|events|orders|things|everything|anything|those)"
    "|alle|hver|når|før|etter|under|over|mellom|fra|til|jede[rnms]?|wenn|bevor|nach|vor|ab|pro",
    "とき|時|すべて|全て|以上|以下|以前|每|所有|当",
)
LESSON = cue(
    "(?:one|another) (?:more )?thing|to know|for later|for (?:the )?next time|I noticed|noticed"
    "|turns? out|turned out|found it|that is (?:the|it|why)|there it is|the (?:reason"
    "|cause) (?:is|was)"
    "|note that|worth (?:knowing|noting)|lesson|learned|from here on|keep in mind|good to know"
    "|det viste seg|årsaken|verdt å vite|merk at|es stellte sich heraus|der grund|ursache|merke",
    "判明|原因|わかったこと|注意|原来|发现",
)
CONCLUDES = re.compile(
    r"^(?:\w+[.,] )?(?:so|therefore|thus|hence|in short|så|altså|derfor|also|daher|deshalb"
    r"|folglich)[, ]"
    r"|^(?:つまり|だから|したがって|所以|因此)",
    re.IGNORECASE,
)
CORRECTION = cue(
    "no,? wait|wait|sorry|actually|correction|I meant|not \\S+(?: \\S+){0,3},? but|instead of"
    "|no longer|not any ?more|rather than|is wrong|was wrong|that was (?:the )?(?:old|wrong)"
    "|nei,?|egentlig|feil|ikke \\S+(?: \\S+){0,3},? men|i stedet"
    "|nein,?|eigentlich|falsch|nicht \\S+(?: \\S+){0,3},? sondern|nicht mehr|stattdessen"
    "|dette er det nye|the new (?:one|value|rule)",
    "いや|違い|間違|ではなく|じゃなくて|不是.{1,20}而是|错了",
)
DECISION = cue(
    "we (?:have )?(?:decided|agreed|settled)|decided (?:to|that|on)|agreed (?:to|that|on)"
    "|the decision"
    "|it is decided|we (?:will|shall) (?:use|go with)|go with|from (?:january|february|march|april"
    "|may|june|july|august|september|october|november|december|monday|next)|vi har bestemt"
    "|bestemt|enige?|da setter vi|wir haben (?:entschieden|beschlossen)|beschlossen|entschieden"
    "|seit|since",
    "に決め|決定|ことにし|决定",
)
GUESS = cue(
    "perhaps|maybe|something|somehow|somewhere|might|my guess|I guess|I (?:think|suspect|suppose"
    "|believe)|probably|possibly"
    "|presumably|could be|may be|seems?(?: to)?|looks like|it could|would (?:be|make|need|then)"
    "|one (?:would|could)|not sure|cannot know|supposedly|likely|what if|suppose|some day|someday"
    "|kanskje|antagelig|sannsynligvis|tror|kan hende|muligens|gjetter|ville"
    "|vielleicht|vermutlich|wahrscheinlich|eventuell|könnte|würde|ich (?:glaube|vermute|denke)"
    "|peut-être|quizás|tal vez|misschien|kanske",
    "かもしれ|でしょう|だろう|たぶん|おそらく|と思い|もし|可能|也许|大概|如果",
)
PASSING = cue(
    "it is (?:late|early|daytime|night|morning|evening|\\w+day)|today|tonight|tomorrow|yesterday"
    "|this (?:morning|afternoon|evening|week|month|time|term)"
    "|last (?:night|week|friday|monday)|right now|currently|at the moment|for now|so far|just now"
    "|meanwhile|not now|next week|in a (?:minute|moment|week)|on (?:mon|tues|wednes|thurs|fri"
    "|satur)day"
    "|i dag|i kveld|i morgen|i går|nå nettopp|foreløpig|denne (?:uka|uken|gangen)|i natt"
    "|heute|morgen früh|gestern|gerade|im moment|vorerst|diese woche|bis jetzt",
    "今日|明日|昨日|今朝|今夜|いまのところ|先月|今週|今天|明天|昨天|目前",
)
HABIT = re.compile(
    r"\b(?:you|they|he|she|it|is|are|was|were|that|which|who|like|as|been|has|have|had)"
    r" (?:always|never)\b|\b(?:I|we) (?:always|never) (?:forget|forgot|know|knew|remember"
    r"|understand"
    r"|get|got|had|saw|heard|thought|\w+ed)\b|\bnever (?:\w+ed|made|came|went|saw|got|been)\b"
    r"|\b(?:der|det) er alltid\b|\bist immer\b|\bvar alltid\b",
    re.IGNORECASE,
)
EACH_TIME = cue(
    "every (?:single )?time|each time|whenever|hver gang|jedes mal|chaque fois|cada vez",
    "毎回|たびに|每次",
)
CONTRAST = re.compile(
    r", (?:and )?(?:not|no longer|rather than|ikke|og ikke|nicht|und nicht|pas|no) (?=\S+ \S+"
    r"|\S+\W*$)",
    re.IGNORECASE,
)
REASON = cue(
    "because|that is (?:how|why)|this is (?:how|why)|so that|otherwise|or else|since"
    "|fordi|slik at|det er derfor|ellers|weil|damit|deshalb|sonst|parce que|porque|sinon",
    "ため|ので|から|因为",
)
EVERY = cue("each|every|any|all|alle|hver|jede[rnms]?|chaque|cada", "すべて|全て|毎|每")
TROUBLE = cue(
    "fails?|failed|failing|broken|breaks?|dies|died|crash\\w*|errors?|cannot|can't|wrong|missing"
    "|empty"
    "|nothing|slow|hangs?|drops?|stops?|stopped|looks? off|too \\w+|weird|strange|trouble"
    "|problem|came back"
    "|feiler|feil|virker ikke|kaputt|fehler|geht nicht|fehlt|funktioniert nicht",
    "エラー|動かない|失敗|おかしい|壊れ|出错|失败",
)
ACTION = re.compile(
    r"^(?:(?:ok|okay|yes|good|right|sure|done|then|now|first|next|so|and)[,:;. ]+)*"
    r"(?:I(?:'ll| will| am| have|'ve|'m)? (?!noticed|found)\w+|let me|let's|let us|here (?:is|are)"
    r"|(?:look|read|runn|check|try|start|list|go|point|compar|replay|apply|mov"
    r"|add)ing(?: [^\s:;`]+){0,9}\W*$"
    r"|jeg \w+|skal jeg|ich \w+|ja, (?:ich|jeg)|nous|je \w+)(?!\w)|\blet me\b",
    re.IGNORECASE,
)
STATUS = re.compile(
    r"^(?:(?:ok|okay|yes|good|great|right|sure|perfect)[,:;. ]+)*(?:done|posted|merged|pushed|sent|"
    r"entered|corrected|shortened|rendered|applied|updated|opened|committed|confirmed|noted|green|"
    r"empty|all (?:green|\w+ runners)|understood|notert|satt|gjort|sendt|verstanden|erledigt"
    r"|fertig|"
    r"gesendet|danke|thanks?|thank you|takk|it works|works|works!|fine|nice|lovely|great)\b"
    r"|^(?:わかりました|できました|完了|ありがとう|好的|完成|谢谢)",
    re.IGNORECASE,
)
REQUEST = re.compile(
    r"^(?:(?:ok|okay|and|now|hi|hei|hello|hey|hallo|morning|evening|please|so|cool|nice|good|great|"
    r"super|also|yes|yep|ja|nein|no)[,.!:; ]+)*(?:can|could|would|will) (?:you|we|u)\b"
    r"|^(?:kan du|kannst du|könntest du|skal vi|sollen wir|hvordan|hva|wie|was|warum|what|how"
    r"|why|who|"
    r"where|which|when (?:is|are|do|does|did|will)|(?:is|are|does|do|did|has|have|was|were) "
    r"(?:there|it|we|you|they|the|this|that|anybody|somebody|anyone))\b",
    re.IGNORECASE,
)
QUESTION = re.compile(r"[?？]\s*(?:[\W_]*)$|(?:か|でしょうか|吗|呢)[。\s]*$")
WITHDRAWN = cue(
    "no,? wait|(?:that|this|it) was (?:the )?(?:old|wrong)(?: one)?|I was wrong|you are right"
    "|you're right"
    "|take (?:that|it) back|taking (?:that|it) back|(?:is|was|are|were) not (?:the|it|true|right|a)"
    "|isn't (?:it|the)|wasn't (?:it|the)|not (?:the )?(?:cause|problem|reason|culprit|case)"
    "|forget (?:what|that|it)|scratch that|never ?mind|on second thought|strike that"
    "|(?:then )?it is not|so no|ruled out|rules? (?:that|it) out|disproved|refuted|red herring"
    "|false (?:lead|alarm)|did(?: not|n't) help|does(?: not|n't) help|no (?:change|effect"
    "|difference)"
    "|still (?:fails?|failing|broken|the same|there|slow)|same error|not any ?more|after all"
    "|nei,? vent|det var (?:den gamle|feil)|jeg tok feil|stemmer ikke|glem det|hjalp ikke"
    "|nein,?|falsch|stimmt nicht|war falsch|doch nicht|vergiss|ich nehme .{1,20} zurück"
    "|lag nicht an"
    "|hilft nicht|immer noch|du hast recht",
    "違いました|間違い|間違っ|ではありませんでした|じゃなかった|撤回|取り消|错了|不对|不是原因",
)
AGREED = re.compile(
    r"^\W*(?:yes|yep|yeah|ok|okay|go|do it|do that|good|great|nice|perfect|right|exactly|lovely"
    r"|works?"
    r"|that works|ship it|merge|thanks?|thx|thank you|super|makes sense|cool|both good|ha\b|ahh?"
    r"|wow|ouch"
    r"|ja|fint|bra|takk|flott|gut|danke|genau|prima|perfekt|it is perfect|🙏|👍|👏"
    r"|ありがとう|はい|いいです|好)",
    re.IGNORECASE,
)
ANAPHOR = re.compile(
    r"^(?:it|its|they|them|their|this|these|those|that|both|the latter|then|so|such|he|she"
    r"|den|det|de|disse|begge|da|es|sie|er|das|dies|diese|beide|dann|それ|これ|その|它"
    r"|这)(?![\w-])",
    re.IGNORECASE,
)
CONTINUES = re.compile(
    r"^(?:\w+ ){0,2}(?:it|its|they|them|this|these|those|both|den|det|dem|es|sie)\b", re.IGNORECASE
)
