package message

import (
	"errors"
	"testing"
)

func TestRenderFillsInTheFields(t *testing.T) {
	text, err := Render(Message{Template: "friendly_reminder", Fields: map[string]string{"invoice": "2026-000001"}})
	if err != nil || text.Subject != "Your invoice 2026-000001" {
		t.Fatalf("text = %+v, err = %v", text, err)
	}
}

func TestRenderRefusesAMissingField(t *testing.T) {
	if _, err := Render(Message{Template: "login_code", Fields: map[string]string{}}); err == nil {
		t.Fatal("no error for a missing field")
	}
	if _, err := Render(Message{Template: "nonsense"}); !errors.Is(err, ErrUnknownTemplate) {
		t.Fatalf("err = %v", err)
	}
}
