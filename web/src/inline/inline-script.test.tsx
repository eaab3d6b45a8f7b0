import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { InlineScript } from './inline-script'

test('a function runs as it is written, and cannot end its element', () => {
  const html = renderToStaticMarkup(<InlineScript name="a" run={() => void '</script>'} />)
  expect(html).toMatch(/^<script data-inline="a">\(\(\)\s?=>/)
  expect(html.match(/<\//g)).toHaveLength(1)
})
