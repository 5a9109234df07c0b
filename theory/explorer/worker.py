"""A child process that answers slow questions, so that neither they nor the lock of this process hold up the page.

A question is a function of this library and its arguments; the answer comes back as a `Future`. Questions wait for
each other. Parent and child speak pickle over the child's own pipes, which nobody else can write to. The child
ignores Ctrl-C, which the terminal sends to it as well, and ends when its parent does, however that ends.
"""

from __future__ import annotations

import atexit
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, BinaryIO

_SIGNAL_AT_PARENTS_END = 1  # PR_SET_PDEATHSIG


class Worker:
    """One child, started with the first question."""

    def __init__(self) -> None:
        self._asked: queue.SimpleQueue[tuple[Future[Any], bytes]] = queue.SimpleQueue()
        self._child: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()  # held while a child is started or ended
        self._ended = False
        atexit.register(self.end)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Ask; a future that is cancelled before its turn is never computed."""
        future: Future[Any] = Future()
        self._asked.put((future, pickle.dumps((function, arguments))))
        with self._lock:
            if self._thread is None:
                # A daemon: at the end nobody waits for an answer.
                self._thread = threading.Thread(target=self._serve, name="explorer-worker", daemon=True)
                self._thread.start()
        return future

    def stop(self) -> None:
        """End the child, whatever it is doing; the next question starts another."""
        with self._lock:
            if self._child is not None:
                self._child.kill()
                self._child.wait()

    def end(self) -> None:
        """End for good."""
        self._ended = True
        self.stop()

    def _serve(self) -> None:
        while True:
            future, question = self._asked.get()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                found, error = self._ask(question)
            except (OSError, EOFError, ValueError, pickle.PickleError) as broken:
                self.stop()
                found, error = None, RuntimeError(f"the computation ended early ({type(broken).__name__})")
            if error is None:
                future.set_result(found)
            else:
                future.set_exception(error)

    def _ask(self, question: bytes) -> tuple[Any, BaseException | None]:
        with self._lock:
            child = self._child
            if child is None or child.poll() is not None:
                if self._ended:
                    raise EOFError
                for pipe in () if child is None else (child.stdin, child.stdout):
                    with suppress(OSError):  # the last question may be stuck in it
                        pipe.close()  # type: ignore[union-attr]
                command = [sys.executable, "-m", "theory.explorer.worker", str(os.getpid())]
                child = self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(question)
        child.stdin.flush()
        answer: tuple[Any, BaseException | None] = pickle.load(child.stdout)
        return answer


def answer_all(questions: BinaryIO, answers: BinaryIO) -> None:
    """The child's life: one answer for each question, until the parent closes the pipe."""
    while True:
        try:
            function, arguments = pickle.load(questions)
        except EOFError:
            return
        try:
            answer: tuple[Any, BaseException | None] = function(*arguments), None
        except Exception as error:  # whatever went wrong is the answer
            answer = None, RuntimeError(" ".join(str(error).split()) or type(error).__name__)
        answers.write(pickle.dumps(answer))
        answers.flush()


def end_with_parent(parent: int) -> None:
    """On Linux the kernel ends this process with its parent; elsewhere after its question."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_SIGNAL_AT_PARENTS_END, signal.SIGKILL)
        if os.getppid() != parent:  # it is gone already
            sys.exit()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent(int(sys.argv[1]))
    with os.fdopen(os.dup(1), "wb") as pipe:
        os.dup2(2, 1)  # what a library prints must not get between the answers
        answer_all(sys.stdin.buffer, pipe)
