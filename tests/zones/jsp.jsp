<%-- COMMENT --%> <p class="STRING<%= CODE("STRING") %>">CODE's <% CODE('S'); // COMMENT
%> CODE's</p>
