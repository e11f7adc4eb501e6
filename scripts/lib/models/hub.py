"""Networks that others trained: a folder of ours, or a name on the model hub."""

from pathlib import Path

from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError


def model_folder(name: str, revision: str = "") -> Path:
    """Return the folder of a model, downloaded first if it is not ours.

    Parameters
    ----------
    name
        A folder, or a name on the hub; the hub's copy is kept in the cache of its library.
    revision
        Version on the hub, or empty for the newest.
    """
    if Path(name).is_dir():
        return Path(name)
    try:
        return Path(snapshot_download(name, revision=revision or None))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        option = f" --revision {revision}" if revision else ""
        raise ValueError(
            f"{name} is no folder and could not be fetched from the model hub ({error}); where "
            f"there is a network, run `hf download {name}{option} --local-dir FOLDER`, and give "
            "that folder in place of the name"
        ) from error
