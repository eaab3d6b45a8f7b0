import { Button } from '@chakra-ui/react'
import { useEffect, useRef, useState } from 'react'
import { Hint } from '@/components/app/hint'
import { toastError } from '@/components/app/toaster'
import { useSession } from '@/features/session/session-provider'
import { download, saveFile } from '@/lib/api/download'
import { problemText } from '@/lib/api/problem'
import { filterParams, type TicketFilter } from '@/lib/api/support-api'

/** Saves all tickets of the filter as a CSV file, those of other pages as well. */
export function ExportButton({ filter }: { filter: TicketFilter }) {
  const { tokens } = useSession()
  const [busy, setBusy] = useState(false)
  const leaving = useRef<AbortController>(null)

  useEffect(() => {
    const controller = new AbortController()
    leaving.current = controller
    return () => controller.abort()
  }, [])

  const save = async () => {
    const signal = leaving.current?.signal ?? AbortSignal.abort()
    setBusy(true)
    try {
      saveFile(
        await download('export-support-tickets', filterParams(filter), tokens, {
          fallbackName: 'support-tickets.csv',
          signal,
        }),
      )
    } catch (error) {
      if (!signal.aborted) toastError('Error', problemText(error, 'Failed to export tickets'))
    }
    setBusy(false)
  }

  return (
    <Hint text="All tickets that match, as a CSV file">
      <Button size="sm" variant="outline" disabled={busy} onClick={() => void save()}>
        {busy ? 'Exporting...' : 'Export CSV'}
      </Button>
    </Hint>
  )
}
