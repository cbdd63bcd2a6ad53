package queue

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/acme/go-kit/log"
	"github.com/acme/notifications/internal/limit"
	"github.com/acme/notifications/internal/message"
	"github.com/acme/notifications/internal/send"
)

type brokenSender struct{}

func (brokenSender) Send(context.Context, string, message.Text) error { return errors.New("down") }

func TestAMessageThatKeepsFailingIsSetAside(t *testing.T) {
	queue := NewMemory(1)
	consumer := &Consumer{
		Source:  queue,
		Senders: map[message.Channel]send.Sender{message.SMS: brokenSender{}},
		Limiter: limit.New(1000, 1000),
		Logger:  log.New(io.Discard, "test"),
	}
	m := message.Message{ID: "msg_1", Channel: message.SMS, Template: "login_code", Fields: map[string]string{"code": "1"}}
	for range MaxFailures {
		consumer.handle(context.Background(), m)
		if len(queue.Dead) == 0 {
			m, _ = queue.Receive(context.Background())
		}
	}
	if len(queue.Dead) != 1 || len(queue.Acked) != 0 {
		t.Fatalf("dead %v, acked %v", queue.Dead, queue.Acked)
	}
}
