// Package message holds what is to be said, to whom and how.
package message

import (
	"errors"
	"fmt"
	"strings"
	"text/template"
)

// Channel is a way to reach a person.
type Channel string

const (
	Email Channel = "email"
	SMS   Channel = "sms"
)

// ErrUnknownTemplate says that no words exist for what happened.
var ErrUnknownTemplate = errors.New("unknown template")

// Message is one notification as other services enqueue it.
type Message struct {
	ID       string            `json:"id"`
	Channel  Channel           `json:"channel"`
	To       string            `json:"to"`
	Template string            `json:"template"`
	Fields   map[string]string `json:"fields"`
	Failures int               `json:"failures"`
}

// Text is a message in words. An SMS has no subject.
type Text struct {
	Subject string
	Body    string
}

var templates = map[string]*template.Template{
	"friendly_reminder": parse("Your invoice {{.invoice}}", "Invoice {{.invoice}} is open. Perhaps it slipped your mind?"),
	"second_reminder":   parse("Invoice {{.invoice}} is overdue", "Please pay invoice {{.invoice}} within a few days."),
	"final_notice":      parse("Last notice for {{.invoice}}", "We will suspend your plan unless {{.invoice}} is paid."),
	"order_shipped":     parse("Your order is on its way", "Track it here: {{.tracking_url}}"),
	"login_code":        parse("", "{{.code}} is your Acme code. Never tell it to anyone."),
}

// Render puts the fields into the words of the template. A missing field is an error, because
// "Dear <no value>" is worse than no message.
func Render(m Message) (Text, error) {
	words, ok := templates[m.Template]
	if !ok {
		return Text{}, fmt.Errorf("%w: %q", ErrUnknownTemplate, m.Template)
	}
	var out strings.Builder
	if err := words.Execute(&out, m.Fields); err != nil {
		return Text{}, fmt.Errorf("render %s: %w", m.Template, err)
	}
	subject, body, _ := strings.Cut(out.String(), "\n")
	return Text{subject, body}, nil
}

func parse(subject, body string) *template.Template {
	return template.Must(template.New("").Option("missingkey=error").Parse(subject + "\n" + body))
}
