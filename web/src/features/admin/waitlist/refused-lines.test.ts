import { describe, expect, it } from 'vitest'
import { reasonsOf, refusedFile } from './refused-lines'

const lines = [
  { line: 2, email: 'x'.repeat(255), outcome: 'invalid' as const, error: 'Too long.' },
  { line: 5, email: 'nobody', outcome: 'invalid' as const, error: 'No address.' },
  { line: 9, email: '', outcome: 'invalid' as const, error: 'No address.' },
  {
    line: 10,
    email: 'a@',
    joined: 'yesterday',
    status: 'approved',
    source: 'Facebook',
    outcome: 'invalid' as const,
  },
]

describe('the refused lines of an import', () => {
  it('are counted by reason, the most frequent first', () => {
    expect(reasonsOf(lines)).toEqual([
      ['No address.', 2],
      ['Too long.', 1],
      ['', 1],
    ])
  })

  it('become a file', () => {
    expect(refusedFile(lines.slice(1), false)).toBe(
      '\ufeffemail,joined,status,source,line,reason\r\n' +
        '"nobody","","","","5","No address."\r\n' +
        '"","","","","9","No address."\r\n' +
        '"a@","yesterday","approved","Facebook","10",""\r\n',
    )
  })

  it('keep the further columns of our exports, all of them', () => {
    const record = { consent: '2026-11', suppressed: 'hidden' }
    const line = { line: 2, email: 'a@example.com', outcome: 'invalid' as const, record }
    expect(refusedFile([line, lines[1]!], false)).toBe(
      '\ufeffemail,joined,status,source,consent,consented_at,confirmed_at,left_at,suppressed,suppressed_at,invitation_expired_at,line,reason\r\n' +
        '"a@example.com","","","","2026-11","","","","hidden","","","2",""\r\n' +
        '"nobody","","","","","","","","","","","5","No address."\r\n',
    )
  })

  it.each([
    ['3/4/2026', '2026-04-03', '2026-03-04'],
    ['3-4-2026, 9:30 PM', '2026-04-03, 9:30 PM', '2026-03-04, 9:30 PM'],
    ['25/4/2026', '2026-04-25', '25/4/2026'],
    ['3/4/26 21:30', '2026-04-03 21:30', '2026-03-04 21:30'],
    ['Sat 3/4/2026', '2026-04-03', '2026-03-04'],
    ['Fri, 3/4/26', '2026-04-03', '2026-03-04'],
    ['3/4/98', '3/4/98', '3/4/98'],
    ['May 3 2026', 'May 3 2026', 'May 3 2026'],
    ['2026-03-04', '2026-03-04', '2026-03-04'],
    ['3/4/20265', '3/4/20265', '3/4/20265'],
  ])('have the date that was read (%s)', (joined, dayFirst, monthFirst) => {
    const line = { line: 1, email: 'a@', joined, outcome: 'invalid' as const }
    expect(refusedFile([line], true)).toContain(`"a@","${dayFirst}"`)
    expect(refusedFile([line], false)).toContain(`"a@","${monthFirst}"`)
  })

  it.each([
    ['=1+"1"', `"'=1+""1"""`],
    ['+cmd', `"'+cmd"`],
    ["'+cmd", `"''+cmd"`],
    ['-2', `"'-2"`],
    ['@SUM(1)', `"'@SUM(1)"`],
    [' =1', `"' =1"`],
    ['\u200b=1', `"'\u200b=1"`],
    ['＝1', `"'＝1"`],
    ['\t1', `"'\t1"`],
    ['a=1', '"a=1"'],
  ])('hold no formula (%#)', (email, written) => {
    const file = refusedFile([{ line: 1, email, outcome: 'invalid' }], false)
    expect(file).toBe(
      `\ufeffemail,joined,status,source,line,reason\r\n${written},"","","","1",""\r\n`,
    )
  })
})
