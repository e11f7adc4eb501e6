import pytest

from scripts.lib.models import hub


def test_a_folder_is_taken_as_it_is(tmp_path):
    assert hub.model_folder(str(tmp_path)) == tmp_path


def test_a_name_is_fetched_from_the_hub_in_its_version(monkeypatch):
    asked = []
    monkeypatch.setattr(
        hub, "snapshot_download", lambda *args, **more: asked.append((args, more)) or "x"
    )
    hub.model_folder("owner/name", "abc")
    assert asked == [(("owner/name",), {"revision": "abc"})]


def test_a_model_that_cannot_be_had_says_what_to_download(monkeypatch, tmp_path):
    def refuse(*_, **__):
        raise OSError("no network")

    monkeypatch.setattr(hub, "snapshot_download", refuse)
    command = "hf download owner/name --revision abc --local-dir FOLDER"
    with pytest.raises(ValueError, match=f"owner/name is no folder .*no network.*`{command}`"):
        hub.model_folder("owner/name", "abc")
