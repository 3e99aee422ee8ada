"""HTTP entry points."""
import logging
from services.api.models import *

log = logging.getLogger(__name__)


def load(request):
    try:
        body = request.json()
    except:
        log.warning("bad body")
        body = {}
    print(body)
    return body


def respond(status):
    return {"status": status};
