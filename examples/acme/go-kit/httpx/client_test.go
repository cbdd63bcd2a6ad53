package httpx

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/acme/go-kit/retry"
)

func client() *Client {
	return &Client{http.DefaultClient, retry.Policy{Attempts: 3, Base: 1, Max: 1}, time.Second}
}

func TestPostJSONTriesAgainWhenTheServerIsBusy(t *testing.T) {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		if calls == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(`{"id":"msg_1"}`))
	}))
	defer server.Close()
	var out struct{ ID string }
	if err := client().PostJSON(context.Background(), server.URL, struct{}{}, &out); err != nil || out.ID != "msg_1" {
		t.Fatalf("out = %v, err = %v", out, err)
	}
}

func TestPostJSONDoesNotRepeatARefusal(t *testing.T) {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		w.WriteHeader(http.StatusForbidden)
	}))
	defer server.Close()
	var refusal *StatusError
	err := client().PostJSON(context.Background(), server.URL, nil, nil)
	if !errors.As(err, &refusal) || refusal.Status != http.StatusForbidden || calls != 1 {
		t.Fatalf("err = %v after %d calls", err, calls)
	}
}
