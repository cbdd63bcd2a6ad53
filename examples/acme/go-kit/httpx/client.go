// Package httpx holds what our services add to net/http.
package httpx

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/acme/go-kit/retry"
)

const maxAnswerBytes = 1 << 20

// StatusError is an answer outside 2xx.
type StatusError struct {
	Status int
	Body   string
}

func (e *StatusError) Error() string { return fmt.Sprintf("status %d: %s", e.Status, e.Body) }

// Client posts JSON, with a deadline for each attempt and further attempts when the server is busy.
type Client struct {
	HTTP    *http.Client
	Policy  retry.Policy
	Timeout time.Duration // of one attempt
}

// PostJSON sends in and decodes the answer into out. Answers 429 and 5xx are tried again, other
// refusals are returned at once as *StatusError.
func (c *Client) PostJSON(ctx context.Context, url string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	return retry.Do(ctx, c.Policy, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, c.Timeout)
		defer cancel()
		return c.post(ctx, url, body, out)
	})
}

func (c *Client) post(ctx context.Context, url string, body []byte, out any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return retry.Permanent(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.HTTP.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		refusal := &StatusError{response.StatusCode, string(answer)}
		if response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= 500 {
			return refusal
		}
		return retry.Permanent(refusal)
	}
	return json.Unmarshal(answer, out)
}
