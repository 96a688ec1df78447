# ruff: noqa: E501  (a pattern is read best in one piece)
"""Secrets on command lines, in elements of markup, in table rows and in many languages.

Data for `redaction`, of the same make as `secret_shapes`.
"""

from __future__ import annotations

from memory_core.secret_shapes import Rule

_WORD = r"\"[^\"\n]{4,200}\"|'[^'\n]{4,200}'|[^\s\"'`;|<>()]{4,200}"
_REST = r"[^\n|;&]{0,300}?\s"
_TELLING = (
    r"(?P<name>[\w.:-]{0,60}?(?i:passw(?:or)?d|passphrase|(?<![a-z])pass|pwd|secret|token|api[_-]?key|access[_-]?key"
    r"|private[_-]?key|signing[_-]?key|_key|credentials?|_pat))"
)
_TELLING_SIGNS = ("pass", "pwd", "secret", "token", "key", "credential", "_pat")
_PASS_SIGNS = ("pass", "pwd", "secret", "token", "key", "kennwort", "contrase")
_CELL_NAME = (
    r"(?P<name>(?:[\w-]{1,30}[ _.-])?(?:passw(?:or)?d|passphrase|passcode|pwd|secret|token|api[ _-]?key|access[ _-]?key"
    r"|secret[ _-]?key|passord|passwort|kennwort|contraseña|mot de passe|wachtwoord|lösenord))"
)
_ABROAD = (
    "passord", "passwort", "kennwort", "passwörter", "contraseña", "mot de passe", "mdp", "wachtwoord", "lösenord",
    "adgangskode", "kodeord", "salasana", "senha", "palavra-passe", "parola", "şifre", "hasło", "heslo", "jelszó",
    "пароль", "пароля", "κωδικός", "סיסמה", "كلمة المرور", "كلمة السر", "पासवर्ड", "mật khẩu", "パスワード",
    "パスフレーズ", "暗証番号", "合言葉", "密码", "密碼", "口令", "비밀번호", "암호", "รหัสผ่าน",
)  # fmt: skip
_IS = r"(?:は|が|是|为|為|은|는|이|:|=|→|->|er|var|ist|lautet|war|es|era|est|était|is|är|on|é|è|jest|je|это|—|-)"


def _option(programs: str, option: str, *signs: str, value: str = _WORD) -> Rule:
    """A secret given to a program by an option or in a fixed place."""
    return Rule(
        "password", rf"\b(?:{programs})\b(?:{_REST}){option}(?P<secret>{value})", signs, True
    )


COMMANDS = (
    _option(r"(?:docker|podman|nerdctl|buildah|skopeo|crane|oras|helm|regctl|az\s+acr)\s+(?:registry\s+)?login",
            r"-p(?:\s+|=)?(?!-)", "login"),
    _option("mysql|mysqldump|mariadb|mariadb-dump|mysqladmin|mysqlimport|mysqlpump", "-p(?=[\"'])", "mysql", "mariadb"),
    _option("mongo|mongosh|mongodump|mongorestore|cqlsh", r"-p\s+(?!-)", "mongo", "cqlsh"),
    _option("mosquitto_pub|mosquitto_sub|sqlcmd|bcp", r"-P\s+(?!-)", "mosquitto", "sqlcmd", "bcp"),
    _option("ipmitool", r"-P\s+(?!-)", "ipmitool"),
    _option("unzip|zip|funzip", r"-P\s+(?!-)", "zip"),
    _option("7za?|7zz|rar|unrar", r"-h?p(?=\S*\d)", "7z", "rar"),
    _option("redis-cli|valkey-cli|keydb-cli", r"(?:-a|--pass)(?:\s+|=)", "-cli"),
    _option("curl", r"(?:-U|--proxy-user|-u|--user|-u(?=\w))(?:\s+|=)?[\"']?[^\s:\"'$]+:", "curl", value=r"[^\s\"']{4,200}"),
    _option("lftp", r"-u\s*[\"']?[^\s,\"']+,", "lftp", value=r"[^\s\"']{4,200}"),
    _option("keytool|jarsigner|apksigner", r"-(?:src|dest|new)?(?:store|key)pass(?:\s+|=)(?!env:|file:)(?:pass:)?",
            "keytool", "jarsigner", "apksigner"),
    _option("xfreerdp3?|wlfreerdp|rdesktop", r"(?:/p:|-p\s+)", "freerdp", "rdesktop"),
    _option("nmcli", r"(?:password|wifi-sec\.psk|802-11-wireless-security\.psk)\s+", "nmcli"),
    _option("openssl", r"-(?:k|passin|passout)\s+(?!pass:|env:|file:|fd:|stdin|-)", "openssl"),
    Rule("password", rf"\bsshpass\s+-p(?P<secret>{_WORD})", ("sshpass",), True),
    Rule("password", rf"\bhtpasswd\s+(?:-\w+\s+)*-\w*b\w*\s+(?:-\w+\s+)*\S+\s+(?:[^\s-]\S*\s+)?(?P<secret>{_WORD})(?=\s*(?:$|[\n;|&>]))",
         ("htpasswd",), True),
    Rule("password", rf"\bwpa_passphrase\s+(?:\"[^\"\n]+\"|\S+)\s+(?P<secret>{_WORD})", ("wpa_passphrase",), True),
    Rule("password", rf"\brabbitmqctl\s+(?:add_user|change_password|authenticate_user)\s+\S+\s+(?P<secret>{_WORD})", ("rabbitmqctl",), True),
    Rule("password", rf"\bnet\s+use\s+(?:\S+:\s+)?\\\\\S+\s+(?!/)(?P<secret>{_WORD})", ("net use",), True),
    Rule("password", r"\b(?:sqlplus|exp|imp|expdp|impdp|rman)\s+(?:-\w+\s+)*[\"']?\w+/(?P<secret>[^\s@\"'/]{4,100})@", ("sqlplus", "exp", "imp", "rman"), True),
    Rule("password", r"\b(?:echo|printf)\s+(?:-\w+\s+)?[\"']?[\w.-]+:(?P<secret>[^\s\"'|\\]{4,200})(?:\\n)?[\"']?\s*\|\s*(?:sudo\s+)?chpasswd",
         ("chpasswd",), True),
    Rule("password", rf"\b(?:echo|printf)\s+(?:-\w+\s+)?(?P<secret>{_WORD})\s*\|\s*(?:sudo\s+)?(?:passwd\s+--stdin|kinit|cryptsetup|gpg\b[^\n|]*passphrase-fd|vncpasswd|su\b)",
         ("passwd", "kinit", "cryptsetup", "gpg", "su"), True),
    Rule("token", rf"\bvault\s+login\s+(?:-\S+\s+)*(?!-)(?P<secret>(?=\S*\d){_WORD})", ("vault login",), True),
    Rule("secret", rf"\b(?:set\s+(?:-\w+\s+|--\w+\s+)+|setx\s+|setenv\s+|SetEnv\s+|ENV\s+|(?:config(?:ure|:set)?|secrets?)\s+set\s+(?:-\w+\s+|--\w+\s+)*|git\s+config\s+(?:--\w+\s+)*)"
         rf"{_TELLING}(?P<sign>[ \t]+)(?:(?:--body|-b|--value)[ =])?(?P<secret>(?!-){_WORD})", _TELLING_SIGNS, True),
    Rule("secret", rf"(?i)<(?:\w+:)?{_TELLING}(?:\s[^<>\n]{{0,200}})?(?P<sign>>)\s{{0,40}}(?:<!\[CDATA\[)?(?P<secret>[^<>\s\]]{{4,300}})(?:\]\]>)?\s{{0,40}}</",
         _TELLING_SIGNS, True),
    Rule("secret", rf"(?i)<\w+\s[^<>]{{0,100}}?\b(?:name|key|id)=[\"']{_TELLING}[\"'](?:\s[^<>]{{0,100}}?)?(?P<sign>>)\s{{0,40}}(?:<value>)?(?P<secret>[^<>\s]{{4,300}})</",
         _TELLING_SIGNS, True),
    Rule("secret", rf"(?i)<(?P<tag>key|td|th|dt|name)\b[^<>]{{0,100}}>\s*{_TELLING}:?\s*</(?P=tag)(?P<sign>>)\s{{0,40}}<(?:string|td|dd|value)\b[^<>]{{0,100}}>\s*"
         r"(?P<secret>[^<>\s]{4,300})\s*</", _TELLING_SIGNS, True),
    Rule("secret", rf"(?im)[|│┃║]\s*[*_`]{{0,3}}{_CELL_NAME}:?[*_`]{{0,3}}\s*(?P<sign>[|│┃║])\s*(?P<secret>`[^`|\n]{{6,200}}`|(?=[^|\n]*\d)[^\s|│┃║(){{}}\[\]]{{6,200}})\s*(?=[|│┃║]|$)",
         _PASS_SIGNS, True),
    Rule("secret", rf"(?i)\b{_CELL_NAME}(?:\s\([^)\n]{{1,40}}\)|\s(?:for|to|of|on|til|på|für|pour|para|de)\s[\w.@/-]{{1,40}}(?:\s[\w.@/-]{{1,30}})?)(?P<sign>\s?[:=])[ \t]+"
         rf"(?P<secret>(?=\S*\d)(?:{_WORD}|`[^`\n]{{4,100}}`))", _PASS_SIGNS, True),
    Rule("private key", r"\b(?i:(?:tls|ca|server|client|ssl|ssh|private)[._-]?key(?:[._-]data)?)[\"']?\s*[:=]\s*[\"']?(?P<secret>(?=[A-Za-z+/]*(?:\d|[A-Z]{2}))[A-Za-z0-9+/]{16,}={0,2})(?![\w./-])",
         ("key",), True),
    Rule("private key", r"LS0tLS1CRUdJTiB(?:QUklWQVRF|SU0Eg|FQyBQ|PUEVO|FTkNS)[A-Za-z0-9+/]{16,}={0,2}", ("ls0tls1crudjti",)),
    Rule("authorization", r"\"auth\"\s*:\s*\"(?P<secret>[A-Za-z0-9+/]{10,}={0,2})\"", ("\"auth\"",), True),
    Rule("password", rf"(?i)(?<!\w)(?:{'|'.join(_ABROAD)})(?:\w{{0,3}}(?!\w)|(?=[はが是为為은는이]))(?:\s?\([^)\n]{{1,40}}\)|(?:\s[\w-]{{1,20}}){{1,2}}?)?\s{{0,2}}(?:{_IS}\s{{0,3}}){{1,2}}"
         r"(?P<secret>[\"'`][!-~]{6,100}?[\"'`]|(?=[!-~]*\d)(?=[!-~]*[A-Za-z])[!-~]{6,100})", tuple(word.lower() for word in _ABROAD), True),
)  # fmt: skip
