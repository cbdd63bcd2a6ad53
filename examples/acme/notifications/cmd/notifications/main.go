// Command notifications delivers queued messages until it is told to stop.
package main

import (
	"context"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/acme/go-kit/httpx"
	"github.com/acme/go-kit/log"
	"github.com/acme/go-kit/retry"
	"github.com/acme/notifications/internal/limit"
	"github.com/acme/notifications/internal/message"
	"github.com/acme/notifications/internal/queue"
	"github.com/acme/notifications/internal/send"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	logger := log.New(os.Stdout, "notifications")
	client := &httpx.Client{HTTP: http.DefaultClient, Policy: retry.Default, Timeout: 5 * time.Second}

	senders := map[message.Channel]send.Sender{
		message.Email: &send.EmailSender{Address: os.Getenv("SMTP_ADDRESS"), From: "hello@acme.example"},
		message.SMS:   &send.SMSSender{Client: client, URL: os.Getenv("SMS_GATEWAY_URL")},
	}
	consumer := &queue.Consumer{
		Source:  queue.NewMemory(1000),
		Senders: senders,
		Limiter: limit.New(20, 100),
		Logger:  logger,
		Workers: 8,
	}
	if err := consumer.Run(ctx); err != nil {
		logger.Error("stopped", "error", err)
		os.Exit(1)
	}
}
