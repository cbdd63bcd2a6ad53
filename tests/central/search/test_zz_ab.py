import subprocess, time, statistics, os, sys
import pytest
from central.search.query import SearchRequest, GroupBy
from central.search.service import search
import central.search.rows as rows, central.search.retrieval as ret, central.search.ranking.scoring as S
from tests.central.search.corpus import index_repository, organization_of, credential_for
Q=["how is a task retried","where is the connection pool created","apply_async","class AsyncResult","rate limit of tasks","what happens when the worker loses its connection","chord header","parse cron expression","send email on failure","load balancing between workers","serializer registry","how does beat decide what is due"]
live=rows._LIVE; cf=ret._candidate_files; mul=S._multiplied; div=S._diversify; cand=S._candidate
def omul(ranked, rule, factor, *, explain):
    candidate, value, effects = ranked
    further = S.factors([rule], [factor]) if explain else ()
    return S.Ranked(candidate, round(value * factor, 9), (*effects, *further))
def odiv(scored, weight, *, explain):
    next_factor = {}; result = []
    for one in sorted(scored, key=S.in_order):
        factor = next_factor.get(one.candidate.file, 1.0)
        next_factor[one.candidate.file] = factor * (1.0 - weight)
        result.append(omul(one, "diversity", factor, explain=explain))
    result.sort(key=S.in_order)
    return result
def ocand(row, batch, projects):
    return S.Candidate(id=row.id, project=projects[row.repository], path=row.path, start_line=row.start_line, end_line=row.end_line, type=row.type, name=row.name, container=row.container, is_reexport=row.is_reexport,
        defines=tuple(one.name for one in batch.defines.get(row.id, ())), minor=tuple(one.name for one in batch.defines.get(row.id, ()) if one.is_minor))
def set_(v):
    if v=="old":
        rows._LIVE=live.replace(", f.vector",""); ret._candidate_files=lambda p,r:None; S._multiplied=omul; S._diversify=odiv; S._candidate=ocand
    else:
        rows._LIVE=live; ret._candidate_files=cf; S._multiplied=mul; S._diversify=div; S._candidate=cand
@pytest.mark.timeout(0)
@pytest.mark.django_db
def test_ab():
    names=subprocess.run(["git","-C","/tmp/me/bench/celery.git","ls-tree","-r","--name-only","HEAD"],capture_output=True,text=True).stdout.split()
    files={n:subprocess.run(["git","-C","/tmp/me/bench/celery.git","show","HEAD:"+n],capture_output=True,text=True).stdout for n in names if n.endswith(".py")}
    acme=organization_of("acme"); index_repository(acme,"celery",files)
    from django.db import connection
    connection.cursor().execute("ANALYZE")
    cred=credential_for(acme)
    T={}
    for r in range(int(os.environ.get("LAPS","40"))):
        for q in Q:
            for g in (GroupBy.NONE,GroupBy.FILE):
                for v in ("new","old")[::1 if r%2 else -1]:
                    set_(v); a=time.perf_counter(); b=time.thread_time(); search(credential=cred,request=SearchRequest((q,),group_by=g)); 
                    if r>1: T.setdefault((g,v,q),[]).append(((time.perf_counter()-a)*1000,(time.thread_time()-b)*1000))
    set_("new")
    for g in (GroupBy.NONE,GroupBy.FILE):
        for i,n in ((0,"wall"),(1,"cpu")):
            for how,f in (("min",min),("p10",lambda x:sorted(x)[len(x)//10]),("p50",statistics.median)):
                new,old=[[f([x[i] for x in T[g,v,q]]) for q in Q] for v in ("new","old")]
                print("AB",g,n,how,"new %.2f old %.2f ratio %.3f"%(statistics.median(new),statistics.median(old),sum(new)/sum(old)),flush=True)
