import logging
import warnings

import pytest

from scripts.lib.joblog import job_log


def test_log_holds_messages_warnings_and_traceback(tmp_path, capsys):
    log = tmp_path / "deep" / "job.log"

    def job():
        with job_log(log):
            logging.getLogger("step").info("3 utterances")
            warnings.warn("careful", stacklevel=1)
            raise ValueError("utterance u7 is broken")

    with pytest.raises(ValueError, match="utterance u7"):
        job()
    text = log.read_text()
    assert "INFO step: 3 utterances" in text
    assert "careful" in text
    assert "Traceback" in text
    shown = capsys.readouterr().err
    assert "utterance u7 is broken" in shown
    assert "Traceback" not in shown


def test_handlers_are_gone_afterwards(tmp_path):
    before = list(logging.getLogger().handlers)
    with job_log(tmp_path / "job.log"):
        pass
    assert logging.getLogger().handlers == before
