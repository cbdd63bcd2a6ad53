import pytest
@pytest.mark.parametrize("q",['"validate the JWT"','how to "verify a signature of JWT"','"AKIA0123456789ABCDEF"', 'authentication "user-7" refused with a reason', '"authentication refused 17"', '-file:tokens "validate the JWT token"'])
def test_x(find, q):
    a=find(q)
    print(q, a.count, a.hint, a.instead and (a.instead.query, a.instead.confidence, a.instead.match))
    for r in (a.instead.results if a.instead else []): print(r.project,r.file,r.start_line,r.name,r.score)
