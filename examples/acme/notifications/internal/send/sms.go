package send

import (
	"context"
	"errors"
	"regexp"
	"unicode/utf8"

	"github.com/acme/go-kit/httpx"
	"github.com/acme/go-kit/retry"
	"github.com/acme/notifications/internal/message"
)

// maxSegments bounds what one message may cost: the gateway bills each segment.
const (
	maxSegments     = 3
	segmentUnicode  = 67
	segmentStandard = 153
)

var (
	phoneNumber = regexp.MustCompile(`^\+[1-9]\d{6,14}$`)

	ErrBadPhoneNumber = errors.New("not an international phone number")
	ErrTooLong        = errors.New("text needs too many SMS segments")
)

// SMSSender posts texts to the gateway of our telephone company.
type SMSSender struct {
	Client *httpx.Client
	URL    string
}

// Send delivers a short message.
func (s *SMSSender) Send(ctx context.Context, to string, text message.Text) error {
	if !phoneNumber.MatchString(to) {
		return retry.Permanent(ErrBadPhoneNumber)
	}
	if Segments(text.Body) > maxSegments {
		return retry.Permanent(ErrTooLong)
	}
	var answer struct {
		ID string `json:"id"`
	}
	return s.Client.PostJSON(ctx, s.URL, map[string]string{"to": to, "text": text.Body}, &answer)
}

// Segments says how many messages the telephone network makes of a text. One character outside ASCII
// halves the room for all the others.
func Segments(body string) int {
	size := segmentStandard
	if utf8.RuneCountInString(body) != len(body) {
		size = segmentUnicode
	}
	return (utf8.RuneCountInString(body) + size - 1) / size
}
