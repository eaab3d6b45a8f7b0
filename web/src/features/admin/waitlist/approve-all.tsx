import { useState } from 'react'
import { Button } from '@/components/button'
import { usePreviewWaveQuery } from '@/lib/api/wave-api'
import { whole } from '@/lib/numbers'

interface ApproveAllProps {
  /** The search of the list. */
  search: string
  onApprove: () => void
}

/** Leads from the selection of all that are shown to all pending people who match on the server, and says how many. */
export function ApproveAll({ search, onApprove }: ApproveAllProps) {
  const [waveId] = useState(() => crypto.randomUUID())
  const { currentData: data } = usePreviewWaveQuery({ waveId, ...(search && { search }) })
  if (!data?.total) return null
  return (
    <Button variant="ghost" size="dense" data-event="open_approve_all" onClick={onApprove}>
      {`Approve all ${whole(data.total)} who match`}
    </Button>
  )
}
