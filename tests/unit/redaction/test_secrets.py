"""Secrets refuse; look-alikes pass. All values are made up."""

import pytest

from redaction.secret_values import is_token
from redaction.secrets import find_secrets, is_secret_pair
from redaction.spans import mask

# Built from parts, so that no scanner takes this file for a leak.
SECRETS = [
    ("PASSWORD", "PASSWORD: dY^5Ke76gdSiF"),
    ("PASSWORD", "export TOKEN=a8f7d6e5c4b3a2918"),
    ("PASSWORD", "DB_PASSWORD=Sommer2024 HOST=x"),
    ("PASSWORD", 'password = "hunter2"'),
    ("PASSWORD", "db:\n  password: Winter2023!\n  host: x"),
    ("PASSWORD", "api_key: 1f2e3d4c5b6a79880102"),
    ("PASSWORD", '"client_secret": "Zq8-kkQ2Lw9Xv3"'),
    ("PASSWORD", "the password is Tr0ub4dor&3 for now"),
    ("PASSWORD", "mysql -u root --password=Zx81kkQ2"),
    ("PASSWORD", "Passwort: Geheim123!"),
    ("PASSWORD", "密码：Abc12345xyz"),
    ("PASSWORD", "请用curl -u admin:Winter2023!x 访问"),
    ("PASSWORD", "运行mysql -u root -pWinter2023!x 即可"),
    ("PASSWORD", r"{\"password\":\"Winter2023!\"}"),
    ("PASSWORD", "<password>Winter2023!</password>"),
    ("PASSWORD", '<add key="Password" value="Winter2023!"/>'),
    ("PASSWORD", "- name: DB_PASSWORD\n  value: Winter2023!"),
    ("PASSWORD", "define('DB_PASSWORD', 'Winter2023!');"),
    ("PASSWORD", "password: $ecret1!xyz"),
    ("PASSWORD", "password=P4ss(word9"),
    ("PASSWORD", "Ocp-Apim-Subscription-Key: 0a1b2c3d4e5f60718293a4b5c6d7e8f9"),
    ("URL_PASSWORD", "redis://:Passw0rd9@cache.acme.io:6379"),
    ("BASIC_AUTH", "Authorization: Basic dXNlcjpwYXNzd29yZA=="),
    ("PASSWORD", "machine x login y password q8Wn2LpZ"),
    ("PASSWORD", "aws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCYzz9182KLMN1z"),
    ("PASSWORD", "The password for the guest network is Winter2023!x and"),
    ("PASSWORD", "Le mot de passe du Wi-Fi est Winter2023!x et"),
    ("PASSWORD", "La contraseña de la red es Winter2023!x y"),
    ("PASSWORD", "redis-cli -h cache -a Winter2023!x ping"),
    ("PASSWORD", "docker login -u bob -p Winter2023!x registry"),
    ("PASSWORD", "echo 'Winter2023!x' | docker login -u bob --password-stdin"),
    ("PASSWORD", 'variable "db_password" {\n  type    = string\n  default = "Winter2023!x"\n}'),
    ("PASSWORD", "kind: Secret\ndata:\n  user: YWRtaW4=\n  db: " + "cHJvZC1TM2NyM3QhcHdYeTk4\n"),
    ("URL_PASSWORD", "jdbc:oracle:thin:app/Winter2023x@//db:1521/x"),
    ("PASSWORD_HASH", "bob:$2y$10$" + "abcdefghijklmnopqrstuuGZ1Qj1Zq81mmXv0kkPq8812jsdfhkjHJ ann:x"),
    ("WEBHOOK", "SLACK_WEBHOOK https://hooks.slack.com/" + "services/T0AB12CD3/B0EF45GH6/a1B2c3D4e5F6g7H8"),
    ("URL_KEY", "https://x.org/a?apiKey=8f3Kd92LmQ0pZx"),
    ("URL_PASSWORD", "mysql://root:swordfish@db.acme.de/x"),
    ("URL_PASSWORD", "amqp://app:S3cr3t!pw@10.1.1.1/v"),
    ("AWS_KEY", "AKIA" + "2E0A8F3B244C9986"),
    ("GITHUB_TOKEN", "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"),
    ("GITLAB_TOKEN", "glpat-" + "Zx81kkQ2Lw9Xv3Tt7Yy1"),
    ("SLACK_TOKEN", "xoxb-" + "123456789012-abcdefABCDEF"),
    ("GOOGLE_KEY", "AIza" + "SyA1234567890abcdefghijklmnopqrstuv"),
    ("STRIPE_KEY", "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"),
    ("AI_KEY", "sk-proj-" + "abcDEF123456ghiJKL789mnoPQR"),
    ("NPM_TOKEN", "npm_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3"),
    ("PYPI_TOKEN", "pypi-" + "AgEIcHlwaS5vcmcCJDU3ZDM0ZjA4LTU2"),
    ("SENDGRID_KEY", "SG." + "abcdefghij12345klmnopq.ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefg"),
    ("TWILIO_KEY", "SK" + "0a1b2c3d4e5f60718293a4b5c6d7e8f9"),
    ("TELEGRAM_TOKEN", "123456789:AA" + "F1k2j3h4g5f6d7s8a9p0o1i2u3y4t5r6e"),
    (
        "AZURE_KEY",
        "AccountKey=" + "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
    ),
    ("JWT", "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"),
    ("BEARER_TOKEN", "Authorization: Bearer 8f3Kd92LmQ0pZxTt7Yy1Ww5"),
    ("PRIVATE_KEY", "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIEpAIBAAKCAQEA7bq98uPqT5xYhZ0a3jX5xv2m3w=="),
    ("PRIVATE_KEY", "-----BEGIN OPENSSH PRIVATE" + " KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAE"),
]


@pytest.mark.req("D5.3", "D5.6")
@pytest.mark.parametrize(("kind", "text"), SECRETS)
def test_secrets_are_found(kind: str, text: str) -> None:
    assert kind in {span.kind for span in find_secrets(text)}
    assert kind in {span.kind for span in find_secrets(f"Before.\n{text}\nAfter.")}


@pytest.mark.parametrize(
    "text",
    [
        "password: <your-password>",
        "password=xxxx",
        "PASSWORD=${VAR}",
        "password: {{ vault_password }}",
        "password: changeme",
        "password = 'example'",
        "password: ****",
        "password: required",
        "the password must have 12 characters",
        "The password is case-sensitive and 12 long.",
        "API_KEY=your-api-key-here",
        "token: OAuth2-based authentication is used",
        "Authorization: Bearer <token>",
        "Authorization: Bearer YOUR_ACCESS_TOKEN_HERE",
        "postgres://user:password@localhost/db",
        "postgres://loader:<password>@localhost/db",
        "postgres://user:${PASSWORD}@localhost/db",
        "password = os.environ['PASSWORD_2024']",
        'password=get_secret("db-pass-1")',
        "password: str = settings.password1",
        "secret: my-k8s-secret-1",
        "max_tokens: 4096",
        "token_type: bearer",
        "secret_name: kprep-prod-1",
        "hash: sha512-8fVfGQ7nQFz3Z1m0m1m2n3b4v5c6x7z8l9k0j1h2g3f4d5s6a7p8==",
        '"integrity": "sha512-8fVfGQ7nQFz3Z1m0m1m2n3b4v5c6x7z8l9k0j1h2g3f4d5s6a7p8=="',
        '<script integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC">',
        "pip --hash=sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "callFunctionCheckIfDataAlreadyExistsPerpetualSubinventory",
        "recallNotices-validation-group-1297083594-1",
        "#recallNotices-validation-group-1297083594-1 { color: red }",
        "110bcd25-a55d-453a-8046-1297901ea002",
        "3f786850e387550fdab836ed7e6dc881de23001b",
        "AKIA" + "IOSFODNN7EXAMPLE",
        "-----BEGIN PRIVATE" + " KEY-----\n...\n-----END PRIVATE KEY-----",
        "a file that begins with -----BEGIN PRIVATE" + " KEY----- is a key",
        "from sk-learn-something-very-long-name",
        "password algorithm: sha256, token: base64",
        "https://x.org/reset?token=<token>&key=value",
        "uses: actions/checkout@v4",
        "cat /etc/passwd alpha1^2",
        "postgresql://my_user:my_password@localhost/db",
        "snowflake://user1:password1@service-account/database1?warehouse=w",
        'credentials="postgresql://loader:loader@localhost:5432/dlt_data"',
        "credentials = OAuth2Credentials(",
        "NextPageToken: n3xtp4g3",
        "URL: http://localhost:2718?access_token=Qfo_Hj2RbXqiqM4VT3XOwA",
        "see [GCP Credential Configuration](config_specs#gcp-credentials)), and more",
        'aws_secret_access_key = "1234567890_access_key"',
        "reset the password zoe%40acme.io",
        "密码：长度8到16位，含字母和数字2种",
        "密码错误代码E10023456",
        "密钥：ECDSA256位，加密后存储",
        "암호화 방식: AES256",
    ],
)
def test_look_alikes_pass(text: str) -> None:
    assert [span.kind for span in find_secrets(text)] == []


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("Password", "Winter2023!", True),
        ("API key", "`8f3Kd92LmQ0pZx`", True),
        ("Kennwort:", "Geheim123!", True),
        ("Password", "required", False),
        ("password", "string", False),
        ("Token", "sha256", False),
        ("Password", "at least 12 characters", False),
        ("Password policy", "Winter2023!", False),
        ("max_tokens", "4096000", False),
        ("Name", "Winter2023!", False),
        ("密码", "Winter2023!", True),
        ("密码", "Winter2023!（临时）", True),
        (
            "Credentials",
            "在零下二十五摄氏度以下的冷库内作业的员工，每小时补贴十八元，每连续作业四十五分钟必须休息。",
            False,
        ),
        ("密码", "员工每90天必须更换一次密码，不得重复使用。", False),
        ("See the file /etc/passwd", "alpha1^2", False),
        ("/prod/db/password", "alpha1^2", True),
        ("Passwords", "รหัสผ่านต้องมีอย่างน้อย12ตัวอักษร", False),
    ],
)
def test_pairs_of_cells(name: str, value: str, expected: bool) -> None:
    assert is_secret_pair(name, value) is expected


def test_randomness_of_names_and_tokens() -> None:
    assert is_token("8f3Kd92LmQ0pZxTt7Yy1")
    assert not is_token("recallNotices-validation-group-1297083594-1")
    assert not is_token("aaaaaaaaaaaaaaaa1111")


@pytest.mark.req("D5.3", "D5.6")
@pytest.mark.parametrize(
    "text",
    [
        "password是{},然后重启",
        "密码：{}。请勿外传",
        "密码是“{}”，然后重启",
        "密码为 {}然后 重启",
        "初始密码统一为{}，登录后修改",
        "password={}を入力",
        "パスワードは「{}」です。",
        "비밀번호는 {}입니다",
        "รหัสผ่าน: {}ครับ",
        "le mot de passe est «{}»",
        "mysql --password={}然后",
        "用curl -u bob:{}，然后重启",
        "运行mysql -u root -p{}即可",
        "打开https://x.cn/a?apiKey={}，然后登录",
        "postgres://app:{}@db，然后",
    ],
)
def test_a_secret_ends_where_its_token_ends(text: str) -> None:
    text = text.format("hunter2Xy99")
    found = {masked[span.start : span.end] for masked in [mask(text)] for span in find_secrets(masked)}
    assert found == {"hunter2Xy99"}


@pytest.mark.req("D5.3", "D5.6")
@pytest.mark.parametrize("wrap", ["\n", "\n    ", " ", '"\n  "', "\\\n", "\n> "])
@pytest.mark.parametrize(
    ("kind", "first", "rest"),
    [
        ("GITHUB_TOKEN", "ghp_" + "x7Kd92", "LmQ0pZxTt7Yy1Aa4Ss8Dd3Ff6Gg9Hh"),
        ("AWS_KEY", "AKIA" + "Q3EGRT", "W5ZLKJHGFD"),
        ("API_TOKEN", "glsa_" + "a8Kd92LmQ0pZxTt7Yy1A", "a4Ss8Dd3Ff6Gg9Hh2_1f3a9c7e"),
    ],
)
def test_a_token_that_a_wrap_broke_is_found_whole(kind: str, first: str, rest: str, wrap: str) -> None:
    text = f"Use {first}{wrap}{rest} for the call."
    [span] = find_secrets(text)
    assert (span.kind, text[span.start : span.end]) == (kind, first + wrap + rest)


@pytest.mark.parametrize(
    "text",
    [
        "the package hf_hub 0a1b2c3d4e5f60718293a4b5c6d7e8f9 is pinned",
        "install sk-learn\n1f2e3d4c5b6a79880102aabb from the index",
        "tokens begin with ghp_ and thirty six more letters and digits of which none is here",
        "glpat-prefix\ndocumentation-of-personal-access-tokens-in-version-16",
    ],
)
def test_words_behind_a_prefix_are_no_broken_token(text: str) -> None:
    assert find_secrets(text) == []
