from itertools import islice

import pytest
from program import PermanentError, RetriesExhausted, ServiceError, TransientError, call_with_retry, delays


def always(error):
    calls = []

    def call():
        calls.append(1)
        raise error

    return call, calls


def test_number_of_calls_and_delays():
    call, calls = always(TransientError("busy"))
    slept = []
    with pytest.raises(RetriesExhausted) as caught:
        call_with_retry(call, slept.append, attempts=5, base=1, factor=3, limit=10)
    assert len(calls) == 5
    assert slept == [1, 3, 9, 10]
    assert caught.value.attempts == 5
    assert str(caught.value.last) == "busy"


@pytest.mark.parametrize("error", [PermanentError(), ServiceError(), ValueError("x"), KeyError("k")])
def test_other_errors_are_not_retried(error):
    call, calls = always(error)
    slept = []
    with pytest.raises(type(error)):
        call_with_retry(call, slept.append)
    assert calls == [1]
    assert slept == []


def test_one_attempt_never_sleeps():
    call, calls = always(TransientError())
    with pytest.raises(RetriesExhausted):
        call_with_retry(call, None, attempts=1)
    assert calls == [1]


def test_permanent_after_transient():
    errors = [TransientError(), PermanentError()]
    slept = []

    def call():
        raise errors.pop(0)

    with pytest.raises(PermanentError):
        call_with_retry(call, slept.append)
    assert slept == [0.5]


def test_none_is_a_result():
    assert call_with_retry(lambda: None, None) is None


def test_no_attempts():
    with pytest.raises(ValueError):
        call_with_retry(lambda: 1, None, attempts=0)


def test_delays():
    assert list(islice(delays(1, 2, 6), 5)) == [1, 2, 4, 6, 6]


def test_default_attempts():
    call, calls = always(TransientError())
    slept = []
    with pytest.raises(RetriesExhausted):
        call_with_retry(call, slept.append)
    assert len(calls) == 4
    assert slept == [0.5, 1.0, 2.0]
