// Package queue takes messages from the queue and sees to it that each is delivered or set aside.
package queue

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/acme/go-kit/log"
	"github.com/acme/notifications/internal/limit"
	"github.com/acme/notifications/internal/message"
	"github.com/acme/notifications/internal/send"
)

// MaxFailures is how often a delivery may fail before the message goes to the dead-letter queue.
const MaxFailures = 5

// Source is where messages come from.
type Source interface {
	Receive(ctx context.Context) (message.Message, error)
	Ack(id string)
	Requeue(m message.Message)
	DeadLetter(m message.Message, reason error)
}

// Consumer delivers messages with several workers.
type Consumer struct {
	Source  Source
	Senders map[message.Channel]send.Sender
	Limiter *limit.Limiter
	Logger  *slog.Logger
	Workers int
}

// Run works until the context ends, then lets the deliveries under way finish.
func (c *Consumer) Run(ctx context.Context) error {
	var group sync.WaitGroup
	for range c.Workers {
		group.Add(1)
		go func() {
			defer group.Done()
			c.work(ctx)
		}()
	}
	group.Wait()
	if err := ctx.Err(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func (c *Consumer) work(ctx context.Context) {
	for {
		m, err := c.Source.Receive(ctx)
		if err != nil {
			return
		}
		c.handle(log.With(context.WithoutCancel(ctx), slog.String("message_id", m.ID)), m)
	}
}

// handle delivers one message and settles it: acknowledged, put back, or dead.
func (c *Consumer) handle(ctx context.Context, m message.Message) {
	err := c.deliver(ctx, m)
	if err == nil {
		c.Source.Ack(m.ID)
		return
	}
	c.Logger.WarnContext(ctx, "delivery failed", "failures", m.Failures+1, "error", err)
	m.Failures++
	if m.Failures >= MaxFailures || errors.Is(err, message.ErrUnknownTemplate) {
		c.Source.DeadLetter(m, err)
		return
	}
	c.Source.Requeue(m)
}

func (c *Consumer) deliver(ctx context.Context, m message.Message) error {
	text, err := message.Render(m)
	if err != nil {
		return err
	}
	sender, ok := c.Senders[m.Channel]
	if !ok {
		return errors.New("no sender for channel " + string(m.Channel))
	}
	if err := c.Limiter.Wait(ctx); err != nil {
		return err
	}
	return sender.Send(ctx, m.To, text)
}
