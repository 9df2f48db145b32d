"""`leaderboard/compose.yaml`: who may do and read what. Docker itself checks it where it is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from hueval_site.config import PREFIX, Config

ROOT = Path(__file__).parents[2]
FILE, S3 = ROOT / "leaderboard" / "compose.yaml", ROOT / "leaderboard" / "compose.s3.yaml"
COMPOSE = yaml.safe_load(FILE.read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
SETTINGS = {"HOST": "board.example.org", "SECRET_KEY": "k" * 60, "POSTGRES_PASSWORD": "p", "MAIL": "smtp://mail"}
SETTINGS |= {"MAIL_FROM": "board@example.org", "UPLOADS": "s3://bucket"}


def mounts(service: str) -> set[str]:
    return {volume.split(":")[0] for volume in SERVICES[service].get("volumes", [])}


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_has_no_more_rights_than_it_needs(name):
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"] and "cap_add" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service and "network_mode" not in service
    uid = int(service["user"].split(":")[0])
    assert uid != 0
    if name != "init":
        assert service["restart"] == "unless-stopped"
        assert service["healthcheck"]["test"][0] == "CMD"


def test_users_are_apart_and_share_a_group_for_uploads():
    users = {name: service["user"].split(":") for name, service in SERVICES.items()}
    apart = [users[name][0] for name in ("web", "worker", "database", "proxy")]
    assert len({*apart}) == 4
    assert users["web"] == users["init"]
    assert users["web"][1] == users["worker"][1]


def test_only_the_worker_has_the_labels_and_the_verdicts():
    for volume in ("labels", "verdicts"):
        assert [name for name in SERVICES if volume in mounts(name)] == ["worker"]
        assert volume in COMPOSE["volumes"]
    assert "HUEVAL_SITE_LABELS" not in SERVICES["web"]["environment"]
    assert not any(name.startswith("HUEVAL_JUDGE") for name in SERVICES["web"]["environment"])


def test_only_the_proxy_is_reached_from_outside():
    assert [name for name in SERVICES if SERVICES[name].get("ports")] == ["proxy"]
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert {name: service["networks"] for name, service in SERVICES.items()} == {
        "init": ["inside"],
        "web": ["inside"],
        "worker": ["inside", "outside"],
        "database": ["inside"],
        "proxy": ["inside", "outside"],
    }


def test_the_settings_are_known_and_usable(monkeypatch):
    given = SERVICES["worker"]["environment"]
    names = {name.removeprefix(PREFIX).lower() for name in given if name.startswith(PREFIX)}
    assert names <= set(Config.model_fields)
    for name in given:
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        if value is not None:
            filled = re.sub(r"\$\{(\w+)[^}]*\}", lambda match: SETTINGS[match[1]], value)
            monkeypatch.setenv(name, filled)
    found = Config()
    assert found.url == "https://board.example.org"
    assert found.trusted_proxy and found.bind == "0.0.0.0"
    assert found.database == "postgresql://hueval:p@database:5432/hueval"


def test_the_folders_of_new_volumes_have_their_users_in_the_image():
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "useradd --create-home --uid 10001 hueval" in text
    assert "chown -R hueval:10000 /site" in text
    assert "chown 10002:10000 /labels /verdicts && chmod 700 /labels /verdicts" in text
    for volume in SERVICES["web"]["volumes"] + SERVICES["worker"]["volumes"]:
        place = volume.split(":")[1]
        assert place == "/data" or re.search(rf"mkdir -p.* {place}\b", text), place


def test_with_a_store_the_web_server_reaches_it():
    services = yaml.safe_load(S3.read_text(encoding="utf-8"))["services"]
    assert services["web"]["networks"] == ["inside", "outside"]
    assert {service["environment"]["HUEVAL_SITE_UPLOADS"] for service in services.values()} == {
        "${UPLOADS:?set UPLOADS in leaderboard/.env}"
    }


def test_the_proxy_passes_all_to_the_web_server():
    text = (ROOT / "leaderboard" / "Caddyfile").read_text(encoding="utf-8")
    assert "reverse_proxy web:8000" in text
    ports = {port.split(":")[1].removesuffix("/udp") for port in SERVICES["proxy"]["ports"]}
    assert ports == {*re.findall(r"https?_port (\d+)", text)}


@pytest.mark.process
@pytest.mark.parametrize("files", [[FILE], [FILE, S3]], ids=["alone", "with S3"])
def test_docker_reads_it(files):
    docker = shutil.which("docker")
    if docker is None or subprocess.run([docker, "compose", "version"], capture_output=True).returncode:
        pytest.skip("docker compose is not installed")
    named = [part for file in files for part in ("--file", str(file))]
    done = subprocess.run(
        [docker, "compose", *named, "config", "--quiet"], env=os.environ | SETTINGS, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
