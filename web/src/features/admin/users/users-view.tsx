import { Flex, Text } from '@chakra-ui/react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { LoadMore } from '@/components/app/load-more'
import { toastError } from '@/components/app/toast'
import { useGetUsersInfiniteQuery } from '@/lib/api/identity-api'
import { problemText } from '@/lib/api/problem'
import type { AdminUser } from '@/lib/api/types'
import { EmptyList } from '../empty-list'
import { ChoiceField, FilterBar, SearchField } from '../filter-bar'
import { PagedTable } from '../paged-table'
import { useListFilter } from '../use-list-filter'
import { RolesDialog } from './roles-dialog'
import { rowLayout } from './row-layout'
import { narrow, roles } from './user-filter'
import { UserRow } from './user-row'

const titles = ['Email', 'Roles', 'Joined', 'Last sign-in', 'Actions'] as const

/** All accounts: find them, and change their roles. */
export function UsersView() {
  const filter = useListFilter('role', roles)
  const list = useGetUsersInfiniteQuery(filter.asked, { refetchOnMountOrArgChange: true })
  const { error } = list
  const table = useRef<HTMLTableElement>(null)
  const [changing, setChanging] = useState<AdminUser | null>(null)
  const drawUser = useCallback(
    (user: AdminUser) => <UserRow key={user.id} user={user} onRoles={setChanging} />,
    [],
  )

  useEffect(() => {
    if (error) toastError(problemText(error, 'Failed to fetch users', 'Failed to load users'))
  }, [error])

  const pages = narrow(list.data?.pages.map((page) => page.data) ?? [], filter.typed)
  const waiting = list.isLoading || ((list.isFetching || filter.settling) && pages.length === 0)

  return (
    <Flex direction="column" gap="5">
      <FilterBar label="Users" refreshing={list.isFetching} onRefresh={() => void list.refetch()}>
        <SearchField
          label="Search users"
          placeholder="Search by email..."
          value={filter.search}
          onType={filter.type}
        />
        <ChoiceField
          label="Role"
          all="All roles"
          values={roles}
          value={filter.chosen}
          onChoose={filter.choose}
        />
      </FilterBar>
      {pages.length > 0 || waiting ? (
        <PagedTable
          ref={table}
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
      ) : filter.filtered ? (
        <EmptyList onClear={filter.clear}>No users match your current filters.</EmptyList>
      ) : (
        <EmptyList>No users found. Click &quot;Refresh&quot; to load users.</EmptyList>
      )}
      <LoadMore list={list} grows={table} />
      {changing && (
        <RolesDialog key={changing.id} user={changing} onClose={() => setChanging(null)} />
      )}
    </Flex>
  )
}
