"""Serializers of the graph's answers for the schema."""

from rest_framework import serializers

from aeterna_code_search.contract.projects import AnsweringProject, MissingProject
from central.http.serializers import Made, serializer_of
from central.knowledge.answers import EdgeView, NodeView, NotRun, PolicyView
from central.knowledge.services.about import LinkedDocument
from central.knowledge.services.catch_up import Refreshed
from central.knowledge.services.code_questions import UnmigratedAnswer, ViolationsAnswer
from central.knowledge.services.context import ContextAnswer
from central.knowledge.services.questions import NodesAnswer, TraverseAnswer
from central.knowledge.services.related import RelatedAnswer
from central.repositories.views import AnsweringProjectSerializer, LackingSerializer


class GraphMissingSerializer(LackingSerializer):
    """A project of which the answer may lack something."""

    reason = serializers.CharField(
        help_text="never_indexed, not_cloned, failed, behind, paused, not_linked_yet or "
        "policies_not_checked_yet"
    )


_MADE: Made = {
    AnsweringProject: AnsweringProjectSerializer,
    MissingProject: GraphMissingSerializer,
}
serializer_of(NotRun, _MADE, name="PolicyNotRunReason")
serializer_of(PolicyView, _MADE, name="Policy")
serializer_of(NodeView, _MADE, name="Node")
EdgeSerializer = serializer_of(EdgeView, _MADE, name="Edge")
serializer_of(LinkedDocument, _MADE, name="ContextDocument")
NodesAnswerSerializer = serializer_of(NodesAnswer, _MADE)
TraverseAnswerSerializer = serializer_of(TraverseAnswer, _MADE)
ViolationsAnswerSerializer = serializer_of(ViolationsAnswer, _MADE)
UnmigratedAnswerSerializer = serializer_of(UnmigratedAnswer, _MADE)
RelatedAnswerSerializer = serializer_of(RelatedAnswer, _MADE)
ContextAnswerSerializer = serializer_of(ContextAnswer, _MADE)
RefreshedSerializer = serializer_of(Refreshed, _MADE)
