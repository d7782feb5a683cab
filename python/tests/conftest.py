import pytest


@pytest.fixture
def num_parallel_threads():
    """SciPy's tests ask for it."""
    return 1


def pytest_configure(config):
    for marker in ("slow", "fail_slow(seconds)", "thread_unsafe"):
        config.addinivalue_line("markers", marker)
