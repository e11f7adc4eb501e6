"""Send what a job logs, warns about or dies of to its log file and to stderr."""

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def job_log(path: str | Path) -> Iterator[None]:
    """Log into `path` and to stderr for the length of the block.

    An exception is written to the log with its traceback and raised again; stderr gets its
    message only, because a user looks for what to do, not for line numbers.

    Examples
    --------
    >>> import tempfile
    >>> log = Path(tempfile.mkdtemp()) / "job.log"
    >>> with job_log(log):
    ...     logging.getLogger("example").info("12 utterances")
    >>> log.read_text().rstrip().endswith("INFO example: 12 utterances")
    True
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    to_file = logging.FileHandler(path, mode="w", encoding="utf-8")
    to_file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    to_stderr = logging.StreamHandler(sys.stderr)
    to_stderr.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    to_stderr.setLevel(logging.WARNING)
    root = logging.getLogger()
    level, show = root.level, warnings.showwarning
    root.setLevel(logging.INFO)
    for handler in (to_file, to_stderr):
        root.addHandler(handler)
    logging.captureWarnings(True)
    try:
        yield
    except Exception as error:
        root.error("%s", error)
        to_file.stream.flush()
        root.removeHandler(to_stderr)
        root.exception("the job failed")
        raise
    finally:
        logging.captureWarnings(False)
        warnings.showwarning = show
        root.setLevel(level)
        for handler in (to_file, to_stderr):
            root.removeHandler(handler)
        to_file.close()
