"""A site for all windows."""
import pytest
from pages import MODULE, Site


@pytest.fixture(scope="session")
def site(work):
    return Site(is_isolated=True, module=MODULE, faulty=work)
