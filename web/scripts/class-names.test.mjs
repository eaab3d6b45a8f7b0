// @vitest-environment node
import { expect, test } from 'vitest'
import { findModule } from './class-names.mjs'

const source = `
/* .comment */
.row { margin: .5rem; background: url("data:a.svg") }
.row:hover .cell::after { content: '.text' }
@media (width > 3.5rem) { .cell { margin: 0 } }`

const css =
  '._9Ab_cd_row{margin:.5rem}._9Ab_cd_row:hover ._9Ab_cd_cell{margin:0}.Xy-3Zw_row{margin:0}'

test('a module has the names that Next gave it', () => {
  expect(findModule(source, css, 'x.module.css')).toEqual({
    prefix: '_9Ab_cd',
    names: { row: '_9Ab_cd_row', cell: '_9Ab_cd_cell' },
  })
})

test('a module that is not in the export is an error', () => {
  expect(() => findModule('.other{}', css, 'x.module.css')).toThrow('no CSS module')
})

test('two modules that cannot be told apart are an error', () => {
  const twice = css + '.Qq1Qq1_row{margin:0}'
  expect(() => findModule('.row{}', twice, 'x.module.css')).toThrow(
    'the same classes as x.module.css',
  )
})
