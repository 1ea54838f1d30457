import pytest
from program import PermanentError, RetriesExhausted, TransientError, call_with_retry


def flaky(*outcomes):
    rest = list(outcomes)

    def call():
        outcome = rest.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return call


def test_first_try():
    assert call_with_retry(flaky("ok"), sleep=None) == "ok"


def test_transient_error_is_tried_again():
    slept = []
    result = call_with_retry(flaky(TransientError(), TransientError(), "ok"), slept.append)
    assert result == "ok"
    assert slept == [0.5, 1.0]


def test_permanent_error_is_raised_at_once():
    slept = []
    with pytest.raises(PermanentError):
        call_with_retry(flaky(PermanentError(), "never"), slept.append)
    assert slept == []


def test_gives_up():
    with pytest.raises(RetriesExhausted):
        call_with_retry(flaky(TransientError(), TransientError()), lambda _: None, attempts=2)
