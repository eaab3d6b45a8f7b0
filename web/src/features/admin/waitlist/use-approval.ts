import { toastError } from '@/components/app/toast'
import { problemText } from '@/lib/api/problem'
import type { WaitlistUser } from '@/lib/api/types'
import { BULK_LIMIT, useApproveWaitlistUsersMutation } from '@/lib/api/waitlist-api'
import { whole } from '@/lib/numbers'
import { useBulk } from '../use-bulk'
import type { Selection } from '../use-selection'

/** Approves the selected; `onLost` is called when a batch got no response, and the list may be out of date. */
export function useApproval(selection: Selection<WaitlistUser>, onLost: () => void) {
  const [send] = useApproveWaitlistUsersMutation()
  const bulk = useBulk({ selection, limit: BULK_LIMIT, nameOf: ({ email }) => email })
  const approve = () =>
    bulk.run({
      doing: 'Approving',
      done: (count, of) =>
        `${whole(count)} of ${whole(of)} ${of === 1 ? 'person' : 'people'} approved`,
      failed: 'could not be approved',
      send: async (entries) => {
        const results = await send(entries.map(({ id }) => id)).unwrap()
        return results.map(({ waitlistUserId, ...result }) => ({ id: waitlistUserId, ...result }))
      },
      onLost: (error) => {
        toastError(problemText(error, 'Failed to approve waitlist users'))
        onLost()
      },
    })
  return { ...bulk, approve }
}
