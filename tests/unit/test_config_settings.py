"""Settings: complete whatever is given, with a warning for each option that could not be used."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from greenline.config.options import OPTIONS
from greenline.config.settings import Settings, client_part, load_settings
from greenline.sandboxes import passed_variables

NONE = Path("/nonexistent/config.toml")


def test_nothing_given_means_the_defaults() -> None:
    assert load_settings({}, NONE) == Settings()


def test_every_setting_has_an_option() -> None:
    assert {field.name for field in attrs.fields(Settings)} == {o.name for o in OPTIONS} | {"warnings"}


def test_the_environment_goes_before_the_file(tmp_path: Path) -> None:
    path = tmp_path / "greenline" / "config.toml"
    path.parent.mkdir()
    path.write_text('model = "ollama/one"\nmax_turns = 7\n', "utf-8")

    settings = load_settings({"XDG_CONFIG_HOME": str(tmp_path), "GREENLINE_MODEL": "openai/two"})

    assert (settings.model, settings.max_turns, settings.warnings) == ("openai/two", 7, ())


def test_a_bad_option_is_named_with_the_value_used_instead(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('cpus = "many"\ncolour = 1\n', "utf-8")

    settings = load_settings({"GREENLINE_PIDS": "3"}, path)

    assert settings.cpus == 2.0
    assert settings.warnings == (
        f"cpus in {path} must be a number from 0.1 to 256; 2.0 is used instead.",
        f"colour in {path} is no option; it is not used.",
        "GREENLINE_PIDS must be a whole number from 16 to 32768; 256 is used instead.",
    )


def test_a_registry_that_is_none_is_named() -> None:
    with_scheme = "https://mirror.test/"
    settings = load_settings({"GREENLINE_REGISTRIES": f"packages.test,{with_scheme}"}, NONE)

    assert settings.registries == ()
    assert settings.warnings == (
        "GREENLINE_REGISTRIES must be a list of HOST, HOST:PORT or HOST:PORT=ADDRESS; () is used instead.",
    )


def test_an_editor_cannot_weaken_safety() -> None:
    unsafe = {
        "permission": "auto",
        "apiBase": "http://evil.invalid",
        "dockerHost": "tcp://evil",
        "registries": ["evil.invalid"],
        "services": {"db": {"image": "evil", "port": 1}},
        "variables": ["SECRET"],
        "lockFiles": ["evil.txt"],
        "sandbox": "none",
    }

    settings = load_settings({}, NONE, {**unsafe, "repairS": 5})

    assert settings == attrs.evolve(Settings(), repair_s=5.0, warnings=settings.warnings)
    assert [warning.split(" ")[0] for warning in settings.warnings] == list(unsafe)


def test_a_broken_file_leaves_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("model = \n", "utf-8")

    settings = load_settings({}, path, ["not", "an", "object"])

    assert settings.model is None
    assert len(settings.warnings) == 2


def test_the_key_is_never_shown() -> None:
    settings = load_settings({"GREENLINE_API_KEY": "hush-hush-hush"}, NONE)

    assert settings.api_key == "hush-hush-hush"
    assert "hush" not in repr(settings)


def test_only_what_an_editor_may_set_is_handed_on() -> None:
    sent = {"apiKey": "sk-not-for-a-command-line", "agentUi": True, "repairS": 5, "logLevel": "debug"}

    assert client_part(sent) == {"repairS": 5, "logLevel": "debug"}
    assert client_part({"greenline": sent}) == {"repairS": 5, "logLevel": "debug"}
    assert client_part(None) == client_part([1]) == client_part({"greenline": 1}) == {}


def test_what_an_editor_says_to_the_server_is_no_wrong_option() -> None:
    assert load_settings({}, NONE, {"agentUi": True}).warnings == ()


SERVICE = """
[services.db]
image = "postgres:16"
port = 5432
command = ["postgres", "-c", "fsync=off"]
environment = { POSTGRES_PASSWORD = "test" }
"""


def test_services_are_read_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(SERVICE)

    (service,) = load_settings({}, path).services

    assert (service.name, service.image, service.port) == ("db", "postgres:16", 5432)
    assert service.command == ("postgres", "-c", "fsync=off")
    assert service.environment == (("POSTGRES_PASSWORD", "test"),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("services = 1", "a table of services"),
        (SERVICE.replace("image", "picture"), "each with some of image"),
        (SERVICE.replace("5432", "0"), "a whole number from 1"),
        (SERVICE + SERVICE.replace("db", "other"), "a port of its own each"),
        ('[services.db]\nimage = "host"\nport = 1', "a command where the image is host"),
    ],
)
def test_what_is_no_service_is_told(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)

    settings = load_settings({}, path)

    assert settings.services == ()
    assert words in settings.warnings[0]


def test_tests_get_variables_that_hold_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOWN", "shown")
    monkeypatch.setenv("API_TOKEN", "hunter2-hunter2-99")
    named = "SHOWN,UNSET,API_TOKEN,OWN=a=b,URL=db://u:hunter2-hunter2-99@h"

    passed, refused = passed_variables(load_settings({"GREENLINE_VARIABLES": named}, NONE))

    assert passed == (("SHOWN", "shown"), ("OWN", "a=b"))
    assert refused == ("API_TOKEN", "URL")
