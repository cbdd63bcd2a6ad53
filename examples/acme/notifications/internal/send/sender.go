// Package send delivers a text over one channel.
package send

import (
	"context"

	"github.com/acme/notifications/internal/message"
)

// Sender delivers one text. An error that retry.Permanent marks must not be tried again.
type Sender interface {
	Send(ctx context.Context, to string, text message.Text) error
}
