package web

import (
	"context"
	"io"
	"net/http/httptest"
	"testing"

	"github.com/acme/go-kit/log"
	"github.com/acme/partner-portal/internal/session"
)

type onePartner struct{}

func (onePartner) Find(_ context.Context, code string) (string, error) {
	if code == "tea" {
		return "teahouse", nil
	}
	return "", nil
}

func TestAnInvitationLogsThePartnerIn(t *testing.T) {
	portal := &Portal{Partners: onePartner{}}
	answer := httptest.NewRecorder()
	portal.Handler(log.New(io.Discard, "test")).ServeHTTP(answer, httptest.NewRequest("GET", "/invitations/tea", nil))
	if partner := session.PartnerOf(answer.Result().Cookies()[0].Value); partner != "teahouse" {
		t.Fatalf("logged in as %q", partner)
	}
}
