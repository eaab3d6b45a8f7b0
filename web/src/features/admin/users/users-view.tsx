import { Flex, Text } from '@chakra-ui/react'
import { useCallback, useEffect, useState } from 'react'
import { toastError } from '@/components/app/toast'
import { useGetUsersInfiniteQuery } from '@/lib/api/identity-api'
import { problemText } from '@/lib/api/problem'
import type { AdminUser } from '@/lib/api/types'
import { EmptyList } from '../empty-list'
import { LoadMore } from '../load-more'
import { PagedTable } from '../paged-table'
import { FilterBar } from './filter-bar'
import { RolesDialog } from './roles-dialog'
import { rowLayout } from './row-layout'
import { useUserFilter } from './use-user-filter'
import { narrow } from './user-filter'
import { UserRow } from './user-row'

const titles = ['E-mail', 'Roles', 'Joined', 'Last sign-in', 'Actions'] as const

/** All accounts: find them, and change their roles. */
export function UsersView() {
  const filter = useUserFilter()
  const list = useGetUsersInfiniteQuery(filter.asked, { refetchOnMountOrArgChange: true })
  const { error } = list
  const [changing, setChanging] = useState<AdminUser | null>(null)
  const drawUser = useCallback(
    (user: AdminUser) => <UserRow key={user.id} user={user} onRoles={setChanging} />,
    [],
  )

  useEffect(() => {
    if (error) toastError(problemText(error, 'Failed to fetch users', 'Failed to load users'))
  }, [error])

  const pages = narrow(list.data?.pages.map((page) => page.data) ?? [], filter.typed)
  const filtered = filter.typed.role !== '' || filter.typed.search !== ''
  const waiting = list.isLoading || ((list.isFetching || filter.settling) && pages.length === 0)

  return (
    <Flex direction="column" gap="5">
      <FilterBar
        filter={filter}
        refreshing={list.isFetching}
        onRefresh={() => void list.refetch()}
      />
      {pages.length > 0 || waiting ? (
        <PagedTable
          caption="All Users"
          layout={rowLayout}
          titles={titles}
          unseen={['Actions']}
          pages={pages}
          loading={waiting}
        >
          {drawUser}
        </PagedTable>
      ) : error ? (
        <Text color="muted">The users could not be loaded.</Text>
      ) : filtered ? (
        <EmptyList onClear={filter.clear}>No users match your current filters.</EmptyList>
      ) : (
        <EmptyList>No users found. Click &quot;Refresh&quot; to load users.</EmptyList>
      )}
      <LoadMore list={list} />
      {changing && (
        <RolesDialog key={changing.id} user={changing} onClose={() => setChanging(null)} />
      )}
    </Flex>
  )
}
