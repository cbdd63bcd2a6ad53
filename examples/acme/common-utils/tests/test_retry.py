import unittest

from acme_common.retry import RetriesExhaustedError, RetryPolicy, backoff_delays, retry_call


class RetryCallTest(unittest.TestCase):
    def test_returns_the_first_success(self):
        answers = [TimeoutError(), TimeoutError(), "done"]
        waits = []

        def flaky():
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        self.assertEqual(retry_call(flaky, sleep=waits.append), "done")
        self.assertEqual(len(waits), 2)

    def test_other_errors_pass_at_once(self):
        with self.assertRaises(ZeroDivisionError):
            retry_call(lambda: 1 / 0, sleep=self.fail)

    def test_gives_up_with_the_cause(self):
        def broken():
            raise ConnectionError("refused")

        with self.assertRaises(RetriesExhaustedError) as caught:
            retry_call(broken, policy=RetryPolicy(attempts=2), sleep=lambda _: None)
        self.assertIsInstance(caught.exception.__cause__, ConnectionError)


class BackoffTest(unittest.TestCase):
    def test_waits_double_up_to_the_cap(self):
        policy = RetryPolicy(attempts=5, base_seconds=1, cap_seconds=4, jitter=False)
        self.assertEqual(list(backoff_delays(policy)), [1, 2, 4, 4])


if __name__ == "__main__":
    unittest.main()
