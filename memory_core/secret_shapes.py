# ruff: noqa: E501  (a pattern is read best in one piece)
"""What secrets look like: tokens by their own form, others by the words around them.

Data for `redaction`; a pattern's group `secret` is the part to remove, else all of it.
`signs` are lower-case substrings, one of which a text must hold for the pattern to be
tried at all.
"""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """One kind of secret; `strict` where the form of the value proves nothing."""

    kind: str
    pattern: str
    signs: tuple[str, ...] = ()
    strict: bool = False


_VALUE = (
    r"""\\"[^"\\\n]{1,400}\\"|"(?:[^"\\\n]|\\.){1,400}"|'[^'\n]{1,400}'|`[^`\n]{1,400}`"""
    r"""|[^\s"'`,;<>(){}\[\]|\\]{1,400}(?:[,;][^\s"'`<>(){}\[\]|\\]{1,400})*"""
)
_NAME = (  # from the telling word on; what stands before it belongs to the name too
    r"(?P<name>(?:(?i:passw(?:or)?d|passphrase|pass_?code|pwd|(?<![a-z])pw(?![a-z])|secret|token|api[ _-]?key|access[_-]?key"
    r"|private[_-]?key|preshared[_-]?key|account[_-]?key|auth[_-]?key|encryption[_-]?key|signing[_-]?key"
    r"|master[_-]?key|credential|passord|passwort|kennwort|contrase[nñ]a|l[oö]senord|wachtwoord"
    r"|mot[_ ]de[_ ]passe)|(?<=[_-])(?:PASS|KEY|AUTH|pass)(?![A-Za-z0-9]))[A-Za-z0-9_-]{0,40})"
)
_NAME_SIGNS = (
    "pass", "pwd", "pw", "secret", "token", "key", "credential", "kennwort", "contrase", "senord",
    "wachtwoord", "auth",
)  # fmt: skip
_EDGE, _END = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"


def _token(kind: str, body: str, *signs: str) -> Rule:
    return Rule(kind, f"{_EDGE}{body}{_END}", signs)


SHAPES = (
    Rule(
        "private key",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?!-----BEGIN )[\s\S])*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
        ("private key",),
    ),
    Rule(
        "private key",
        r"(?:[A-Za-z0-9+/=]{16,}(?:\\n|\s)+){1,200}-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----",
        ("-----end",),
    ),
    Rule("private key", r"PuTTY-User-Key-File-[23][\s\S]*?Private-MAC: [0-9a-f]+", ("putty",)),
    _token("private key", r"AGE-SECRET-KEY-1[0-9A-Z]{40,60}", "age-secret-key"),
    _token("aws key", r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}", "akia", "asia", "abia", "acca"),
    _token("anthropic key", r"sk-ant-[A-Za-z0-9_-]{20,}", "sk-ant-"),
    _token("openai key", r"sk-(?!ant-)(?:[a-z]+-)?(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{32,}", "sk-"),
    _token("google key", r"AIza[0-9A-Za-z_-]{33,40}", "aiza"),
    _token("google token", r"(?:ya29\.|GOCSPX-)[0-9A-Za-z_-]{20,}", "ya29.", "gocspx-"),
    _token(
        "github token", r"(?:github_pat_\w{22,}|gh[pousr]_[A-Za-z0-9]{30,})", "github_pat", "gh"
    ),
    _token("gitlab token", r"gl(?:pat|dt|ft|soat|rt|cbt|ptt)-[A-Za-z0-9_.-]{20,}", "gl"),
    _token("hugging face token", r"hf_[A-Za-z0-9]{30,}", "hf_"),
    _token("slack token", r"(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{10,}", "xox", "xapp-"),
    Rule(
        "webhook",
        r"https://hooks\.slack\.com/(?:services|workflows)/(?P<secret>[A-Za-z0-9/_+-]{20,})",
        ("hooks.slack.com",),
    ),
    Rule(
        "webhook",
        r"https://(?:canary\.|ptb\.)?discord(?:app)?\.com/api/webhooks/\d+/(?P<secret>[\w-]{40,})",
        ("discord",),
    ),
    _token("stripe key", r"(?:sk|rk)_(?:live|test)_[0-9A-Za-z]{16,}", "k_live_", "k_test_"),
    _token("webhook secret", r"whsec_[A-Za-z0-9+/=]{24,}", "whsec_"),
    _token("digitalocean token", r"do[opr]_v1_[a-f0-9]{64}", "_v1_"),
    _token("shopify token", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}", "shp"),
    _token("npm token", r"npm_[A-Za-z0-9]{36}", "npm_"),
    _token("pypi token", r"pypi-[A-Za-z0-9_-]{50,}", "pypi-"),
    _token("vault token", r"hv[sbr]\.[A-Za-z0-9_-]{24,}", "hvs.", "hvb.", "hvr."),
    _token("tailscale key", r"tskey-[a-z]+-[A-Za-z0-9-]{16,}", "tskey-"),
    _token("linear key", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}", "lin_"),
    _token("grafana token", r"gl(?:sa|c)_[A-Za-z0-9_=+/]{32,}", "glsa_", "glc_"),
    _token("sentry token", r"sntry[su]_[A-Za-z0-9_=+/-]{30,}", "sntry"),
    _token("databricks token", r"dapi[a-f0-9]{32}", "dapi"),
    _token("sendgrid key", r"SG\.[\w-]{20,24}\.[\w-]{39,50}", "sg."),
    _token("mailgun key", r"key-[a-f0-9]{32}", "key-"),
    _token("telegram token", r"\d{8,10}:AA[0-9A-Za-z_-]{32,35}", ":aa"),
    _token("jwt", r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}", "eyj"),
    Rule(
        "password hash", r"\$(?:1|5|6|y|2[abxy]|argon2id?|scrypt)\$[A-Za-z0-9./$=,+]{20,}", ("$",)
    ),
)

CONTEXTS = (
    Rule(
        "password",
        r"(?<![\w+.-])[A-Za-z][A-Za-z0-9+.-]*://[^\s:/@\"'<>]{0,100}:(?P<secret>[^\s/@\"'<>]{1,200})@"
        r"(?=[\w.\[$-])",
        ("://",),
        True,
    ),
    Rule(
        "authorization",
        r"(?i)\bauthorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token|apikey)\s+"
        r"(?P<secret>[A-Za-z0-9._~+/=-]{8,})",
        ("authorization",),
        True,
    ),
    Rule("authorization", r"\bBearer\s+(?P<secret>(?=[^\s]*\d)[A-Za-z0-9._~+/=-]{20,})", ("bearer",), True),
    Rule(
        "cookie",
        r"(?i)(?:session|sid|sess|auth|jwt|csrf|remember)[\w.-]{0,30}=(?P<secret>[A-Za-z0-9%._~+/-]{16,})"
        r"(?=;|\s|\"|'|$)",
        ("cookie",),
        True,
    ),
    Rule("secret", f"{_NAME}(?:\\\\?[\"'])?\\]?(?P<sign>\\s{{0,3}}(?::=|=>|=(?!=)|:(?![:/]))\\s{{0,3}})(?P<secret>{_VALUE})",
         _NAME_SIGNS, True),
    Rule(
        "secret",
        r"(?<!\S)--?(?P<name>[\w-]*(?:passw(?:or)?d|passphrase|token|secret|api-?key))"
        rf"(?P<sign>\s)(?P<secret>(?!-){_VALUE})",
        ("pass", "token", "secret", "key"),
        True,
    ),
    Rule("password", r"\bcurl\b[^\n|;]{0,400}?\s(?:-u|--user)\s*[\"']?[^\s:\"']+:(?P<secret>[^\s\"']+)",
         ("curl",), True),
    Rule("password", r"\bsshpass\s+-p\s*(?P<secret>" + _VALUE + ")", ("sshpass",), True),
    Rule("password", r"\b(?:mysql|mysqldump|mariadb|mysqladmin)\b[^\n|;]{0,200}?\s-p(?P<secret>[^\s\"'-]\S{3,})",
         ("mysql", "mariadb"), True),
    Rule("password", r"\bredis-cli\b[^\n|;]{0,200}?\s-a\s+(?P<secret>\S{4,})", ("redis-cli",), True),
    Rule("password", r"\bmachine\s+\S+\s+login\s+\S+\s+password\s+(?P<secret>\S+)", ("machine",), True),
    Rule(
        "password",
        r"(?i)\b(?P<name>password|passwd|passphrase|passcode|api key|access key|token|secret|pin(?: ?code)?"
        r"|passord(?:et)?|passwort|kennwort|contraseña|mot de passe|wachtwoord|lösenord(?:et)?)"
        r"(?:\s+(?:for|to|of|på|for|til|für|de|of the)\s+[\w.@/-]{1,40}(?:\s[\w.@/-]{1,30})?|\s+(?:I|we|they|you)\s+\w+)?"
        r"\s+(?P<sign>is|was|er|var|ist|lautet|es|est|är|=)\s*:?\s+(?P<secret>(?:[\"'`][^\s\"'`]{4,}[\"'`])"
        r"|(?=\S*\d)\S{6,100})",
        ("pass", "kennwort", "contrase", "senord", "wachtwoord", "key", "token", "secret", "pin"),
        True,
    ),
    Rule("password", r"(?:パスワード|密码|密碼|비밀번호)\s*(?:は|:|:|是|=)\s*(?P<secret>[!-~]{6,100})",
         ("パスワード", "密码", "密碼", "비밀번호"), True),
    Rule("secret", r"(?i)(?:key|name|id)=\"(?P<name>[\w.:-]*(?:password|secret|token|api[_-]?key))\"\s+"
         r"(?P<sign>value=)(?P<secret>\"[^\"\n]{4,400}\")", ("value=",), True),
    Rule("token", r"_authToken[ =]\s*(?P<secret>[\w-]{20,})", ("_authtoken",), True),
    Rule("password", r"\b(?:echo|printf)\s+(?P<secret>[\"'][^\"'\n]{4,200}[\"']|\S{4,200})\s*\|[^\n|]*"
         r"--?password-stdin", ("password-stdin",), True),
    Rule("secret", r"\(\s*[\"'](?P<name>[A-Z0-9_]*(?:PASSWORD|SECRET|TOKEN|_KEY))[\"'](?P<sign>\s*,\s*)"
         r"(?P<secret>\"[^\"\n]{4,200}\"|'[^'\n]{4,200}')", ("pass", "secret", "token", "key"), True),
    Rule("password", r"\bldap\w+\b[^\n|;]{0,300}?\s-w\s+(?P<secret>\S{4,})", ("ldap",), True),
    Rule("password", r"\bsmb\w+\b[^\n|;]{0,300}?\s-U\s*[^\s%]+%(?P<secret>\S{4,})", ("smb",), True),
    Rule("password", r"\bsnmp\w+\b[^\n|;]{0,300}?\s-A\s+(?P<secret>\S{8,})", ("snmp",), True),
    Rule("password", r"\bsnmp\w+\b[^\n|;]{0,300}?\s-X\s+(?P<secret>\S{8,})", ("snmp",), True),
    Rule("password", r"\bssh-keygen\b[^\n|;]{0,200}?\s-[NP]\s+(?P<secret>" + _VALUE + ")", ("ssh-keygen",), True),
    Rule("password", r"\bopenssl\b[^\n|;]{0,300}?\bpass:(?P<secret>\S{4,})", ("openssl",), True),
    Rule("password", r"\b(?:echo|printf)\s+(?P<secret>[\"'][^\"'\n]{4,200}[\"']|\S{4,200})\s*\|\s*sudo\s+-\w*S",
         ("sudo",), True),
    Rule("password", r"(?<!\S)[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w*.-]{1,60}:(?P<secret>(?=\S*\d)[^\s:]{6,100})(?!\S)",
         (":",), True),
    Rule("signature", r"(?i)[?&](?:x-amz-signature|x-goog-signature|sig|signature)=(?P<secret>[A-Za-z0-9%/+=_-]{20,})",
         ("sig",), True),
    Rule("password", r"(?i)\b(?:wpa[_-]?)?psk\s*=\s*(?P<secret>\"[^\"\n]{8,63}\"|[^\s\"]{8,63})", ("psk",), True),
    Rule("password", r"(?i)\b(?:password|passphrase|passcode|pin|passordet|passwort)(?:\s+(?:for|of|på|til)\s+\S+)?"
         r"\s+(?:to|til|auf|is now|er nå)\s+(?P<secret>(?:[\"'`][^\s\"'`]{4,}[\"'`])|(?=\S*\d)(?=\S*[A-Za-z])\S{6,100})",
         ("pass", "pin"), True),
    Rule("secret", r"name:\s*[\"']?(?P<name>[\w.-]*(?:PASSWORD|PASS|SECRET|TOKEN|_KEY))[\"']?\s*\n\s*"
         r"(?P<sign>value:)\s*(?P<secret>" + _VALUE + ")", ("value:",), True),
    Rule("password", r"(?i)\b(?:password|identified\s+by)\s+(?P<secret>'[^'\n]{4,100}')", ("password", "identified"), True),
    Rule("password", r"(?i)\bset\s+password\b[^\n;]{0,100}=\s*(?P<secret>'[^'\n]{4,100}')", ("set password",), True),
    Rule("password", r"(?i)\b(?:use|using|with|bruk|set)\s+(?P<secret>[\"'`]?(?=\S*\d)\S{6,100})\s+as\s+(?:the|a|my|your)\s+"
         r"(?:\w+\s+)?(?:password|passphrase|token|secret|api key)", (" as ",), True),
    Rule("password", r"(?i)\b(?:login|credentials?)\s*:\s*[\w.@-]+\s*/\s*(?P<secret>(?=\S*\d)\S{6,100})",
         ("login", "credential"), True),
    Rule("password", r"\.(?:login|authenticate)\(\s*[\"'][^\"'\n]*[\"']\s*,\s*(?P<secret>[\"'][^\"'\n]{4,100}[\"'])",
         ("login(", "authenticate("), True),
    Rule("password", r"\bpassword-file\s+<\(\s*(?:echo|printf)\s+(?P<secret>[^\s)]{4,100})", ("password-file",), True),
    Rule("password", r"\b(?:az\s+login|rclone\s+config)\b[^\n|;]{0,300}?\s(?:-p|pass)\s+(?P<secret>\S{4,})",
         ("az login", "rclone"), True),
)  # fmt: skip
