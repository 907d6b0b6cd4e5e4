"""Settings for OpenML: the section ``openml`` of the configuration, as passed to the jobs that fetch."""

import json
import os
from dataclasses import dataclass

SETTINGS_VARIABLE = "BALANCED_BANDITS_OPENML"


@dataclass(frozen=True)
class Settings:
    """The section ``openml`` of the configuration; config.yaml describes the fields."""

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
        """The settings that the workflow stored in the environment, where a change makes no dataset stale."""
        return cls(**json.loads(os.environ.get(SETTINGS_VARIABLE, "{}")))
