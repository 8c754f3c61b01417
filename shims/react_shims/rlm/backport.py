"""The history for RLMs whose class has none itself: DSPy 3.3 and 3.4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from react_shims.rlm.conversation import HistoryProcessor
from react_shims.rlm.run import ReplRun
from react_shims.rlm.signatures import refuse_reserved_names, with_history
from react_shims.rlm.slots import PredictorSlot, running

if TYPE_CHECKING:
    _Base = Any
else:
    _Base = object


class WithHistory(_Base):  # type: ignore[misc]
    """A mixin before DSPy's class: the loop is DSPy's, and its predictor sees a history of it."""

    generate_action = PredictorSlot()
    extract = PredictorSlot()

    history_processor: HistoryProcessor | None = None  # on the class for RLMs loaded without the constructor

    def __init__(self, *args: Any, history_processor: HistoryProcessor | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        refuse_reserved_names(self.signature)
        self.history_processor = history_processor
        self.generate_action.signature = with_history(self.generate_action.signature)

    def forward(
        self,
        *args: Any,
        history: Any = None,
        history_processor: HistoryProcessor | None = None,
        **inputs: Any,
    ) -> Any:
        with running(ReplRun(self, history, self._processor(history_processor), inputs)) as run:
            return run.finished(super().forward(*args, **inputs))

    async def aforward(
        self,
        *args: Any,
        history: Any = None,
        history_processor: HistoryProcessor | None = None,
        **inputs: Any,
    ) -> Any:
        with running(ReplRun(self, history, self._processor(history_processor), inputs)) as run:
            return run.finished(await super().aforward(*args, **inputs))

    def _processor(self, of_the_call: HistoryProcessor | None) -> HistoryProcessor | None:
        return self.history_processor if of_the_call is None else of_the_call
