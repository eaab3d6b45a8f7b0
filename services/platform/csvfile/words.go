package csvfile

import (
	"regexp"
	"strings"
)

// months are their names, as in dates and short, in the languages that spreadsheets and forms write most.
var months = [...]string{
	"JAN JANUARY JANUAR JÄN JÄNNER JANV JANVIER ENE ENERO GEN GENNAIO JANEIRO JANUARI STY STYCZNIA LEDNA ЯНВ ЯНВАРЯ",
	"FEB FEBRUARY FEBRUAR FEBER FÉVR FÉVRIER FEBRERO FEBBRAIO FEV FEVEREIRO FEBRUARI LUT LUTEGO ÚNORA ФЕВ ФЕВР ФЕВРАЛЯ",
	"MAR MARCH MÄR MÄRZ MARS MARZO MARÇO MRT MAART MARTS MARCA BŘEZNA МАР МАРТА",
	"APR APRIL AVR AVRIL ABR ABRIL APRILE KWI KWIETNIA DUBNA АПР АПРЕЛЯ",
	"MAY MAI MAYO MAG MAGGIO MAIO MEI MAJ MAJA KVĚTNA МАЯ",
	"JUN JUNE JUNI JUIN JUNIO GIU GIUGNO JUNHO CZE CZERWCA ČERVNA ИЮН ИЮНЯ",
	"JUL JULY JULI JUIL JUILLET JULIO LUG LUGLIO JULHO LIP LIPCA ČERVENCE ИЮЛ ИЮЛЯ",
	"AUG AUGUST AOÛT AGO AGOSTO AUGUSTUS AUGUSTI SIE SIERPNIA SRPNA АВГ АВГУСТА",
	"SEP SEPT SEPTEMBER SEPTEMBRE SEPTIEMBRE SET SETTEMBRE SETEMBRO WRZ WRZEŚNIA ZÁŘÍ СЕН СЕНТ СЕНТЯБРЯ",
	"OCT OCTOBER OKT OKTOBER OCTOBRE OCTUBRE OTT OTTOBRE OUT OUTUBRO PAŹ PAŹDZIERNIKA ŘÍJNA ОКТ ОКТЯБРЯ",
	"NOV NOVEMBER NOVEMBRE NOVIEMBRE NOVEMBRO LIS LISTOPADA LISTOPADU НОЯ НОЯБ НОЯБРЯ",
	"DEC DECEMBER DEZ DEZEMBER DÉC DÉCEMBRE DIC DICIEMBRE DICEMBRE DEZEMBRO DES DESEMBER GRU GRUDNIA PROSINCE ДЕК ДЕКАБРЯ",
}

// monthOf has the English short name of each.
var monthOf = func() map[string]string {
	of := map[string]string{}
	for _, names := range months {
		short := names[:len("JAN")]
		for name := range strings.FieldsSeq(names) {
			of[name] = short
		}
	}
	return of
}()

var (
	word = regexp.MustCompile(`\pL+\.?`)
	// weekday is a word before a date; one that is a month is the date's own, unless that has numbers alone.
	weekday = regexp.MustCompile(`^(\pL[\pL-]*)(?:\.,?|,| DEN)? ((?:\d{4}[/-]|\d{1,2}[/-](?:\d{1,2}|[A-Z]{3})[/-]\d\d|(?:\d{1,2}\D|[A-Z]{3} ).*\d{4}).*)$`)
	// numbers is a date without the name of a month.
	numbers = regexp.MustCompile(`^\d{1,4}[./-] ?\d{1,2}[./-] ?\d{2,4}(?:\D|$)`)
	// forms are dates and times of day as they are written elsewhere, with the months of above, and as our layouts have them.
	forms = []struct {
		other *regexp.Regexp
		ours  string
	}{
		{regexp.MustCompile(`,? (?:AT|UM|À|A LAS|ÀS|OM|KL\.?|KLO|В|V|ALLE ORE) | DE | DEL |, `), " "},
		{regexp.MustCompile(`^MAR (\d{1,2}(?:ER)? [A-Z]{3} \d{4})`), "$1"},                                      // a Tuesday in French, Spanish and Italian, no March
		{regexp.MustCompile(`^(\d{1,2})(?:\.|º|ER)? ([A-Z]{3}) (\d{4})(?: Г\.)?`), "$1 $2 $3"},                  // German, Portuguese, French, Russian
		{regexp.MustCompile(`^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})(?: ?Г?\.)?`), "$1.$2.$3"},                       // Czech, Croatian, Bulgarian
		{regexp.MustCompile(` ?(?:[(（][月火水木金土日월화수목금토일][)）]|[月火水木金土日]曜日|(?:星期|周|週)[一二三四五六日天]|[월화수목금토일]요일)`), ""}, // days of the week
		// Hungarian, Chinese, Japanese, Korean
		{regexp.MustCompile(`^(\d{4})(?:\. ?|年|년 ?)(\d{1,2})(?:\. ?|月|월 ?)(\d{1,2})(?:\.|日|일)?(?: |$)`), "$1-$2-$3 "},
		{regexp.MustCompile(` ?(?:上午|午前|오전) ?(\d{1,2}:\d\d(?::\d\d)?)`), " $1 AM"},
		{regexp.MustCompile(` ?(?:下午|午後|오후) ?(\d{1,2}:\d\d(?::\d\d)?)`), " $1 PM"},
		{regexp.MustCompile(`\b(\d{1,2}) ?H ?(\d\d)$`), "$1:$2"}, // French
		{regexp.MustCompile(`([AP])\. ?M\.`), "${1}M"},           // Spanish
		{regexp.MustCompile(` (\d{1,2})\.(\d\d)$`), " $1:$2"},    // Italian, Danish, Finnish
		{regexp.MustCompile(` (\d{1,2})\.(\d\d)\.(\d\d)$`), " $1:$2:$3"},
	}
)

// inEnglish is a time in capitals in the words and signs of our layouts, as far as they are known.
func inEnglish(text string) string {
	text = word.ReplaceAllStringFunc(text, func(name string) string {
		if month, ok := monthOf[strings.TrimSuffix(name, ".")]; ok {
			return month
		}
		return name
	})
	text = withoutWeekday(text)
	for _, form := range forms {
		text = form.other.ReplaceAllString(text, form.ours)
	}
	return strings.TrimSpace(text)
}

// withoutWeekday is a date in capitals without the day of the week before it.
func withoutWeekday(text string) string {
	found := weekday.FindStringSubmatch(text)
	if found == nil || monthOf[found[1]] != "" && !numbers.MatchString(found[2]) {
		return text
	}
	return found[2]
}
