package mail

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

// testPrefix begins the keys of test emails, which are not about anything.
const testPrefix = "test/"

// previewSettings are what the words of a service's emails depend on, as of Config.
type previewSettings struct {
	SiteOrigin   string `env:"SITE_ORIGIN" envDefault:"http://localhost:8080"`
	TemplatesDir string `env:"MAIL_TEMPLATES_DIR"`
	ReplyTo      string `env:"MAIL_REPLY_TO" envDefault:"support@fledge.example"`
}

// Validate implements config.Validator; all is judged as it is used.
func (previewSettings) Validate() error { return nil }

// installed returns the templates as the service would use them, with their samples in the order of names.
func installed(call service.Call, builtIn func(siteOrigin string) BuiltIn) (*Templates, error) {
	cfg, err := service.Settings[previewSettings](call)
	if err != nil {
		return nil, err
	}
	templates, err := builtIn(cfg.SiteOrigin).Templates(cfg.TemplatesDir)
	if err != nil {
		return nil, service.Misuse("%w", err)
	}
	address, err := questions(cfg.ReplyTo)
	if err != nil {
		return nil, err
	}
	templates.AnswerTo(address)
	slices.SortStableFunc(templates.samples, func(a, b Email) int { return strings.Compare(a.Template, b.Template) })
	return templates, nil
}

// preview writes all samples into the directory.
func preview(call service.Call, builtIn func(siteOrigin string) BuiltIn, dir string) error {
	templates, err := installed(call, builtIn)
	if err != nil {
		return err
	}
	mark, err := layoutFiles.ReadFile("layout/mark.png")
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	count := map[string]int{}
	for _, sample := range templates.samples {
		m, err := templates.Compose(sample)
		if err != nil {
			return err
		}
		count[sample.Template]++
		file := filepath.Join(dir, fmt.Sprintf("%s-%d", sample.Template, count[sample.Template]))
		html := strings.ReplaceAll(m.HTML, "cid:"+markID, "data:image/png;base64,"+base64.StdEncoding.EncodeToString(mark))
		for ending, content := range map[string]string{".txt": "Subject: " + m.Subject + "\n\n" + m.Text, ".html": html} {
			if err := os.WriteFile(file+ending, []byte(content), 0o644); err != nil { //nolint:gosec // G306: nothing in them is secret
				return err
			}
		}
		if _, err := fmt.Fprintf(call.Out, "%s\t%s\n", filepath.Base(file), m.Subject); err != nil {
			return err
		}
	}
	return nil
}

// test queues the samples of a template for the operator.
func test(ctx context.Context, call service.Call, builtIn func(siteOrigin string) BuiltIn,
	record func(context.Context, pgx.Tx, string, Done, Undelivered) error, operator, name string,
) error {
	templates, err := installed(call, builtIn)
	if err != nil {
		return err
	}
	return pg.OnDatabase(ctx, call, func(pool *pgxpool.Pool, _ pg.Config) error {
		client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Schema: schema})
		if err != nil {
			return fmt.Errorf("mail: %w", err)
		}
		sent := 0
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			for _, sample := range templates.samples {
				if sample.Template != name {
					continue
				}
				// What the samples lead to is nobody's: no mail program may act on it, and answers go where those of the
				// installation go.
				sample.To, sample.Key, sample.Unsubscribe, sample.Follows, sample.ReplyTo = operator, testPrefix+name+"/"+uuid.NewString(), "", "", ""
				m, err := templates.Compose(sample)
				if err != nil {
					return err
				}
				if err := insert(ctx, client, tx, m, time.Time{}); err != nil {
					return err
				}
				sent++
			}
			if sent == 0 {
				return service.Misuse("there is no template %s; there are %s", name, strings.Join(slices.Sorted(maps.Keys(templates.own)), ", "))
			}
			if err := record(ctx, tx, operator, Tested, Undelivered{Key: name, To: operator}); err != nil {
				return err
			}
			_, err := fmt.Fprintf(call.Out, "%d queued for %s\n", sent, operator)
			return err
		})
	})
}
