"""How OpenML is asked: the section ``openml`` of the configuration, on its way to the jobs that fetch."""

import json
import os
from dataclasses import dataclass

SETTINGS_VARIABLE = "BALANCED_BANDITS_OPENML"


@dataclass(frozen=True)
class Settings:
    """The section ``openml`` of the configuration, which describes each field."""

    server: str | None = "https://www.openml.org/api/v1/xml"
    api_key_variable: str = "OPENML_API_KEY"
    cache: str | None = "data/archives/openml"
    offline: bool = False
    prefer: str = "arff"
    simultaneous: int = 2
    pause: float = 0.5
    retries: int = 4
    back_off: float = 2.0
    timeout: float = 60.0

    @classmethod
    def of_this_run(cls) -> "Settings":
        """What the workflow put into the environment: a change of it makes no dataset stale."""
        return cls(**json.loads(os.environ.get(SETTINGS_VARIABLE, "{}")))
