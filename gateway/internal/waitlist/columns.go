package waitlist

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/csvfile"
	"fledge.dev/gateway/internal/route"
	times "fledge.dev/services/platform/csvfile"
)

// The columns of a file that an import takes something from.
const (
	emailColumn = iota
	joinedColumn
	statusColumn
	sourceColumn
	columnKinds
)

// recordColumns are further columns of our exports. An import takes them of a file that has them all, but for the last,
// which exports once lacked: alone, such a title may mean anything in the files of other tools.
var recordColumns = [...]string{"consent", "consented_at", "confirmed_at", "left_at", "suppressed", "suppressed_at", "invitation_expired_at"}

// columnParameters are how a request names them.
var columnParameters = [columnKinds]string{"email", "joined", "status", "source"}

const (
	// none is the index of a column that is not there, byContent of one that is yet to be found.
	none      = -1
	byContent = -2
)

// The orders of the lines of a file, as a request names them, and how large an offset may be.
const (
	oldestFirst = "oldest_first"
	newestFirst = "newest_first"
	offsetBits  = 24
)

// mapping is what the columns of a file are.
type mapping struct {
	// columns are indexes.
	columns [columnKinds]int
	// kept are the indexes of recordColumns.
	kept [len(recordColumns)]int
	// times are the indexes of those that say when people may have joined.
	times []int
	// left are the indexes of those by which other tools mark whom they no longer write to.
	left []leftColumn
	// dates are how those in the column of when people joined are read.
	dates
	// order is whether the whole file's dates rise, as the request says, "" if it does not; offset is how many of its lines
	// stand before this part of it.
	order  string
	offset int32
}

// mappingOf reads what a request says of the columns: their numbers from 1, or 0 for none.
func mappingOf(c *gin.Context) (m mapping, err error) {
	for kind, name := range columnParameters {
		m.columns[kind] = byContent
		number, given := c.GetQuery(name)
		if !given {
			continue
		}
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil || n == 0 && kind == emailColumn {
			return m, route.Invalid(name, "is not the number of a column")
		}
		m.columns[kind] = int(n) - 1
	}
	order, given := c.GetQuery("dates")
	if given && order != dayFirst && order != monthFirst {
		return m, route.Invalid("dates", "is not day_first or month_first")
	}
	m.dates = dates{said: given, dayFirst: order == dayFirst}
	if m.order, given = c.GetQuery("order"); given && m.order != oldestFirst && m.order != newestFirst {
		return m, route.Invalid("order", "is not oldest_first or newest_first")
	}
	if text, given := c.GetQuery("offset"); given {
		offset, err := strconv.ParseUint(text, 10, offsetBits)
		if err != nil {
			return m, route.Invalid("offset", "is not a number of lines")
		}
		m.offset = int32(offset)
	}
	return m, nil
}

// completed finds the columns that were not given by their titles and content. That of when people joined
// may have any title if it is the only column of times of day.
func (m mapping) completed(shape csvfile.Shape) mapping {
	m.columns[emailColumn] = shape.Email
	byTime := m.columns[joinedColumn] == byContent
	for kind, is := range map[int]func(title string, cells []string) bool{
		joinedColumn: func(title string, cells []string) bool {
			return joinedTitle.MatchString(title) && mostly(cells, isTime)
		},
		statusColumn: func(title string, cells []string) bool {
			return statusTitle.MatchString(wordsOf(title)) && mostly(cells, isStatus)
		},
		sourceColumn: func(title string, cells []string) bool {
			return strings.EqualFold(title, "source") && mostly(cells, isSource)
		},
	} {
		if m.columns[kind] != byContent {
			continue
		}
		m.columns[kind] = none
		for i := range shape.Titles {
			if i != shape.Email && is(shape.Title(i), cellsOf(shape, i)) {
				m.columns[kind] = i
				break
			}
		}
	}
	m.kept = keptIn(shape)
	m.times = timesIn(shape)
	if byTime && m.columns[joinedColumn] == none {
		precise := slices.DeleteFunc(slices.Clone(m.times), func(i int) bool {
			return !mostly(cellsOf(shape, i), func(cell string) bool { return strings.Contains(cell, ":") })
		})
		started := slices.IndexFunc(shape.Titles, func(title string) bool { return wordsOf(title) == "start date" })
		switch {
		case len(precise) == 1:
			m.columns[joinedColumn] = precise[0]
		case slices.Contains(precise, started):
			m.columns[joinedColumn] = started
		}
	}
	if m.kept[0] == none {
		m.left = leftIn(shape, m.columns[statusColumn])
	}
	return m
}

func isTime(cell string) bool { return times.IsTime(cell, true) || times.IsTime(cell, false) }

// keptIn finds recordColumns by their titles.
func keptIn(shape csvfile.Shape) (kept [len(recordColumns)]int) {
	for kind, name := range recordColumns {
		kept[kind] = slices.IndexFunc(shape.Titles, func(title string) bool { return strings.EqualFold(strings.TrimSpace(title), name) })
	}
	if slices.Contains(kept[:len(kept)-1], none) {
		return [...]int{none, none, none, none, none, none, none}
	}
	return kept
}

// timesIn are the columns of times at which people may have joined, by their content alone. Those are
// past, and no dates of birth: nobody has waited since before firstJoin.
func timesIn(shape csvfile.Shape) (columns []int) {
	now := time.Now()
	isJoin := func(cell string) bool {
		if ambiguous.MatchString(cell) {
			return false
		}
		for _, dayFirst := range []bool{false, true} {
			if at, err := times.ParsePast(cell, dayFirst, now); err == nil && at.Year() >= firstJoin {
				return true
			}
		}
		return false
	}
	for i := range min(shape.Width(), maxColumns) {
		cells := cellsOf(shape, i)
		if share(90, cells[:min(len(cells), 30)], isJoin) {
			columns = append(columns, i)
		}
	}
	return columns
}

// ambiguous is what may be a date, such as 1.2.20, 1701234567 or 46012.5, and is as likely the version of an app, a phone
// number or an amount.
var ambiguous = regexp.MustCompile(`^(\d{1,2}\.\d{1,2}\.\d{2}|\d+([.,]\d+)?)$`)

// firstJoin is the year before which nobody joined.
const firstJoin = 2015

func cellsOf(shape csvfile.Shape, column int) (cells []string) {
	for line := range shape.Sample {
		if cell := shape.Column(line, column); cell != "" {
			cells = append(cells, cell)
		}
	}
	return cells
}

// mostly is whether at least half of the cells are so. The service refuses the others line by line.
func mostly(cells []string, is func(string) bool) bool { return share(50, cells, is) }

// share is whether at least so many per cent of the cells are so. It looks at no more cells than it needs:
// there may be many columns, and a time has many layouts.
func share(percent int, cells []string, is func(string) bool) bool {
	others := 0
	for _, cell := range cells {
		if is(cell) {
			continue
		}
		if others++; 100*others > (100-percent)*len(cells) {
			return false
		}
	}
	return len(cells) > 0
}

// joinedTitle is what tools call the time of a sign-up.
var joinedTitle = regexp.MustCompile(`(?i)^(creat(ed([ _]?(at|on|date|time))?|(e|ion)[ _]date)|(profile|subscription)[ _]created[ _](at|on)|inserted[ _]at|date([ _](added|created|joined|submitted|subscribed))?|timestamp|zeitstempel|horodateur|marca temporal|joined.*|signed[ _-]?up.*|sign[ _-]?up[ _](date|time|timestamp)|subscribed.*|submit(ted)?[ _](date|at).*|(submission|registration|completion|subscription|entry)[ _](date|time)|(registered|requested|waitlisted|opted[ _-]?in)[ _](at|on)|(optin|opt-in|confirm)[ _](date|time)|(member|subscriber)[ _]since|added([ _](at|on|time|date))?)( ?\(utc\))?$`)
