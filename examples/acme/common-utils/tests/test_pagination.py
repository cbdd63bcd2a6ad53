import unittest

from acme_common.pagination import InvalidCursorError, decode_cursor, paginate


class PaginateTest(unittest.TestCase):
    def test_pages_cover_everything_once(self):
        items, seen, cursor = [f"{n:03d}" for n in range(25)], [], None
        while True:
            page = paginate(items, str, cursor, 10)
            seen += page.items
            cursor = page.next_cursor
            if cursor is None:
                break
        self.assertEqual(seen, items)

    def test_a_made_up_cursor_is_refused(self):
        with self.assertRaises(InvalidCursorError):
            decode_cursor("???")


if __name__ == "__main__":
    unittest.main()
