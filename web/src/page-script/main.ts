/**
 * The script of visitors' pages, which ship without the Next run-time: share buttons, dates in the
 * visitor's format, 'today' on legal pages, and analytics. Pages with islands also get islands.ts.
 */
import { observePage, recordView } from '@/lib/analytics/observe'
import { whenIdle } from '@/lib/when-idle'
import { englishDate, localDate } from '@/lib/format-date'
import { share } from './share'

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-share]')) {
  const { title = document.title, excerpt = '' } = button.dataset
  button.hidden = false
  button.addEventListener('click', () => {
    const data = { title, text: excerpt, url: window.location.href }
    void share(data, navigator, (message) => window.alert(message)).catch(() =>
      window.prompt('Copy this link:', data.url),
    )
  })
}

for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-local]')) {
  time.textContent = localDate(time.dateTime)
}

for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-today]')) {
  const now = new Date()
  const pad = (value: number) => String(value).padStart(2, '0')
  time.dateTime = `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`
  time.textContent = englishDate(time.dateTime)
}

whenIdle(() => {
  observePage()
  recordView()
})
