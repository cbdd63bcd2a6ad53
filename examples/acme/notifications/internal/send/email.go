package send

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/smtp"
	"net/textproto"
	"strings"

	"github.com/acme/go-kit/retry"
	"github.com/acme/notifications/internal/message"
)

// ErrHeaderInjection says that an address holds a line break, with which a caller could add headers.
var ErrHeaderInjection = errors.New("line break in an address")

// EmailSender hands mail to the SMTP relay.
type EmailSender struct {
	Address string
	From    string
}

// Send delivers a plain-text mail. The relay's 5xx replies are permanent, 4xx ones are not.
func (s *EmailSender) Send(ctx context.Context, to string, text message.Text) error {
	if strings.ContainsAny(to, "\r\n") {
		return retry.Permanent(ErrHeaderInjection)
	}
	return retry.Do(ctx, retry.Default, func(context.Context) error {
		err := smtp.SendMail(s.Address, nil, s.From, []string{to}, compose(s.From, to, text))
		var reply *textproto.Error
		if errors.As(err, &reply) && reply.Code >= 500 {
			return retry.Permanent(err)
		}
		return err
	})
}

func compose(from, to string, text message.Text) []byte {
	subject := mime.QEncoding.Encode("utf-8", text.Subject)
	return []byte(fmt.Sprintf(
		"From: %s\r\nTo: %s\r\nSubject: %s\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n%s\r\n",
		from, to, subject, text.Body,
	))
}
