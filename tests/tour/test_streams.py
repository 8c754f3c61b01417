"""What a streamified program yields: messages, and in the end the prediction."""

from __future__ import annotations

from rewriting import check_noop, check_transformed


def test_the_prediction_is_picked_out_of_an_asynchronous_stream() -> None:
    check_transformed(
        """
        import dspy

        agent = dspy.ReAct("question -> answer", tools=[])
        talk = dspy.streamify(agent)

        async def tell(question):
            stream = talk(question=question)
            async for piece in stream:
                if isinstance(piece, dspy.Prediction):
                    print(piece.trajectory)
        """,
        """
        import dspy
        from react_shims import trajectory_of

        agent = dspy.ReAct("question -> answer", tools=[])
        talk = dspy.streamify(agent)

        async def tell(question):
            stream = talk(question=question)
            async for piece in stream:
                if isinstance(piece, dspy.Prediction):
                    print(trajectory_of(piece))
        """,
    )


def test_the_prediction_is_kept_while_a_synchronous_stream_runs_out() -> None:
    check_transformed(
        """
        import dspy
        from typing import Any, cast

        class Desk:
            def __init__(self):
                self.agent = dspy.ReAct("question -> answer", tools=[])

            def tell(self, question):
                last: dspy.Prediction | None = None
                talk = cast(Any, dspy.streamify(self.agent, async_streaming=False))
                for piece in talk(question=question):
                    if isinstance(piece, dspy.streaming.StreamResponse):
                        print(piece.chunk)
                    elif isinstance(piece, dspy.Prediction):
                        last = piece
                if last is not None:
                    print(getattr(last, "trajectory", {}))
        """,
        """
        import dspy
        from react_shims import trajectory_of
        from typing import Any, cast

        class Desk:
            def __init__(self):
                self.agent = dspy.ReAct("question -> answer", tools=[])

            def tell(self, question):
                last: dspy.Prediction | None = None
                talk = cast(Any, dspy.streamify(self.agent, async_streaming=False))
                for piece in talk(question=question):
                    if isinstance(piece, dspy.streaming.StreamResponse):
                        print(piece.chunk)
                    elif isinstance(piece, dspy.Prediction):
                        last = piece
                if last is not None:
                    print(trajectory_of(last, {}))
        """,
    )


def test_the_stream_of_an_rlm() -> None:
    check_transformed(
        """
        import dspy

        agent = dspy.ReAct("question -> answer", tools=[])
        talk = dspy.streamify(dspy.RLM("text -> answer"))

        async def tell(text):
            async for piece in talk(text=text):
                if isinstance(piece, dspy.Prediction):
                    print(piece.trajectory[0]["code"])
        """,
        """
        import dspy
        from react_shims import repl_trajectory_of

        agent = dspy.ReAct("question -> answer", tools=[])
        talk = dspy.streamify(dspy.RLM("text -> answer"))

        async def tell(text):
            async for piece in talk(text=text):
                if isinstance(piece, dspy.Prediction):
                    print(repl_trajectory_of(piece)[0]["code"])
        """,
    )


def test_the_stream_of_another_program_is_left_alone() -> None:
    check_noop(
        """
        import dspy

        agent = dspy.ReAct("question -> answer", tools=[])
        talk = dspy.streamify(dspy.ChainOfThought("text -> answer"))

        async def tell(text):
            async for piece in talk(text=text):
                if isinstance(piece, dspy.Prediction):
                    print(piece.trajectory[0]["code"])
        """
    )
